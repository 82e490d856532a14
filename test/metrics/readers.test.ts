import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { raiseOfSilence } from '../../db/alerts/silence.ts';
import { connect } from '../../db/connection.ts';
import { createFigures, type FigureReaders } from '../../db/figures/figures.ts';
import { recordLife, recordStop, type RunningProcess } from '../../db/processes/processes.ts';
import { createTestDatabase } from '../support/database.ts';
import { createPaymentRow, createWorld } from '../support/fixtures.ts';

/* Figures of rows that no running process has written. */

let knex: ReturnType<typeof connect>;
let figures: FigureReaders;
beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 2 });
  figures = createFigures(url);
});
afterAll(() => Promise.all([knex.destroy(), figures.close()]));

const workers = async (): Promise<number> =>
  (await figures.processes()).find(({ name }) => name === 'worker')?.count ?? 0;
const started = async (): Promise<string> => {
  const worker: RunningProcess = { id: randomUUID(), kind: 'worker', name: '7@container' };
  await recordLife(knex, worker, true);
  return worker.id;
};

it('a worker told to stop counts until another has started, or for as long as a silent one', async () => {
  const first = await started();
  await recordStop(knex, first);
  expect(await workers()).toBe(1);
  expect((await raiseOfSilence(knex, 30)).map(({ kind }) => kind)).not.toContain('workers_gone');
  const second = await started();
  expect(await workers()).toBe(1);
  await recordStop(knex, second);
  await knex('processes').update({ beat_at: knex.raw("clock_timestamp() - interval '31 seconds'") });
  expect(await workers()).toBe(0);
});

/** Adds copies of a payment that wait for their buyers. The triggers, which no figure needs, are skipped. */
const copies = (id: string, count: number): Promise<void> =>
  knex.transaction(async (trx: Knex.Transaction) => {
    const own = ['id', 'external_id', 'deal_id', 'status'];
    const columns = (await trx('information_schema.columns')
      .where({ table_name: 'payments', is_generated: 'NEVER' })
      .whereNotIn('column_name', own)
      .pluck('column_name')) as string[];
    const list = columns.map((name) => `"${name}"`).join(', ');
    await trx.raw("SET LOCAL session_replication_role = 'replica'");
    await trx.raw(
      `INSERT INTO payments (${own.join(', ')}, ${list})
       SELECT gen_random_uuid(), 'x' || g, g, 'awaiting_payment', ${list} FROM payments, generate_series(1, :count::int) g WHERE id = :id`,
      { id, count },
    );
  });

it('the payment that has waited longest is found behind more than 100,000 other open ones', async () => {
  const world = await createWorld(knex);
  const { id } = await createPaymentRow(knex, world);
  await copies(id, 100_001);
  const late = await createPaymentRow(knex, world);
  await knex.transaction(async (trx) => {
    await trx.raw("SET LOCAL session_replication_role = 'replica'");
    await trx('payments').where({ id }).update({ status: 'awaiting_payment' });
    await trx('payments')
      .where({ id: late.id })
      .update({ updated_at: trx.raw("clock_timestamp() - interval '1 hour'") });
  });
  const found = (await figures.payments()).map(({ status, detail, count, oldest }) => ({
    status,
    detail,
    count,
    isOld: oldest > 3_500,
  }));
  expect(found.toSorted((a, b) => a.count - b.count)).toEqual([
    { status: 'pending', detail: '', count: 1, isOld: true },
    { status: 'awaiting_payment', detail: '', count: 100_002, isOld: false },
  ]);
});
