import knexFactory, { type Knex } from 'knex';
import { planned } from '../../../db/query/statements.ts';
import { createTestDatabase } from '../../support/database.ts';

let knex: Knex;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url, pool: { min: 1, max: 1 } });
  await knex.raw('CREATE TABLE counted (id int PRIMARY KEY)');
});

afterAll(() => knex.destroy());

const text = 'INSERT INTO counted SELECT unnest(:ids::int[]) RETURNING id, :label::text AS label';
const insert = (db: Knex, ids: readonly number[], label: string | null) =>
  planned<{ rows: { id: number; label: string | null }[] }>(db, text, { ids, label });

const plans = async (): Promise<number[]> =>
  (
    await knex.raw<{ rows: { uses: string }[] }>(
      `SELECT generic_plans + custom_plans AS uses FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO counted %'`,
    )
  ).rows.map(({ uses }) => Number(uses));

it('a planned statement is planned once for a connection, whatever its values', async () => {
  for (const id of [1, 2, 3]) {
    expect((await insert(knex, [id, -id], id === 2 ? null : 'a')).rows).toEqual([
      { id, label: id === 2 ? null : 'a' },
      { id: -id, label: id === 2 ? null : 'a' },
    ]);
  }
  expect(await plans()).toEqual([3]);
});

it('a planned statement belongs to its transaction', async () => {
  const undone = knex.transaction(async (trx) => {
    await insert(trx, [10], null);
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  expect(await knex('counted').where({ id: 10 })).toEqual([]);
});

it('a planned statement is refused by a transaction that has ended', async () => {
  const trx = await knex.transaction();
  await trx.rollback();
  await expect(insert(trx, [11], null)).rejects.toThrow('Transaction query already complete');
  expect(await knex('counted').where({ id: 11 })).toEqual([]);
});
