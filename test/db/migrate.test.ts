import { connect } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import { createTestDatabase } from '../support/database.ts';
import { hex } from '../support/fixtures.ts';

/** A database as it was before chains had a platform. */
const databaseOfBefore = async (chains: readonly string[]): Promise<string> => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  await knex.raw(`
    ALTER TABLE chains DROP COLUMN first_root, DROP COLUMN platform_id, DROP COLUMN approval_delay;
    ALTER TABLE networks DROP COLUMN root, DROP COLUMN guardian;
    ALTER TABLE signer_accounts DROP COLUMN dismissed_at;
    DELETE FROM knex_migrations WHERE name = '0012-platform'`);
  for (const name of chains) await knex.raw('INSERT INTO chains (id, name) VALUES (gen_random_uuid(), ?)', [name]);
  await knex.destroy();
  return url;
};

it('a database with contracts of before says that it starts anew, and how', async () => {
  const url = await databaseOfBefore(['Main']);
  await expect(migrate(url)).rejects.toThrow(/start anew with an empty database \(the local stack: npm run reset\)/);
  await expect(migrate(url)).rejects.toThrow('npm run reset');
});

it('one that holds no chain yet is brought up', async () => {
  const url = await databaseOfBefore([]);
  expect(await migrate(url)).toContain('0012-platform');
  const knex = connect(url, { pool: 1 });
  const chain = { first_root: hex(20), platform_id: hex(32), approval_delay: 2_592_000 };
  const insert = (name: string, more: object = {}) =>
    knex('chains').insert({ id: knex.raw('gen_random_uuid()'), name, ...chain, ...more });
  await insert('A');
  await expect(insert('B')).rejects.toThrow('chains_platform');
  await expect(insert('C', { approval_delay: 2_592_001 })).rejects.toThrow('approval_delay');
  await knex.destroy();
});
