import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { raiseOfSilence } from '../../../db/alerts/silence.ts';
import { connect } from '../../../db/connection.ts';
import { recordLife } from '../../../db/processes/processes.ts';
import { createDatabaseClock, readClock } from '../../../db/processes/set-back.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld } from '../../support/fixtures.ts';
import { storeOperator } from '../../support/operator.ts';
import { newSecret } from '../../support/webhooks.ts';

const SECONDS = 30;
let knex: Knex;
const worker = { id: randomUUID(), kind: 'worker', name: '1@dead' } as const;
const api = { id: randomUUID(), kind: 'api', name: '2@lives' } as const;

beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
  await storeOperator(knex, 'http://127.0.0.1:1/', newSecret());
});
beforeEach(async () => {
  for (const table of ['key_holders', 'processes', 'alerts', 'webhook_deliveries', 'webhook_events'])
    await knex(table).delete();
});
afterAll(() => knex.destroy());

/**
 * The last worker died a while ago, and the operator was told. Then a standby takes over whose clock is `step` seconds behind: the
 * beat of the dead worker is not of the future, but of a moment ago.
 */
it.each([
  [20, 40],
  [600, 610],
])(
  'the open alert about missing workers stays open after a step of %d s, %d s after the last worker died',
  async (step, ago) => {
    let backMs = 0;
    const look = createDatabaseClock(knex, 30, async () => (await readClock(knex)) - backMs);
    await look();
    await recordLife(knex, worker, true);
    await recordLife(knex, api, true);
    const moved = (seconds: number) => (column: string) => knex.raw(`?? + make_interval(secs => ?)`, [column, seconds]);
    const all = (by: (column: string) => Knex.Raw) => ({ beat_at: by('beat_at'), temporal_at: by('temporal_at') });
    await knex('processes')
      .where({ id: worker.id })
      .update(all(moved(-ago)));
    expect((await raiseOfSilence(knex, SECONDS)).map(({ kind }) => kind)).toEqual(['workers_gone']);
    // The step: all stored times are later by it, for every statement.
    await knex('processes').update(all(moved(step)));
    backMs = step * 1_000;
    await look();
    await recordLife(knex, api, true);
    expect((await closeWhatIsOver(knex)).map(({ kind }) => kind)).toEqual([]);
  },
);

/**
 * Both apis restart in the failover, or one does: the one that began after the step does not know its length, and sets the times of the
 * future to the present before the other one can move them back.
 */
it('the open alert about missing workers stays open where an api starts right after the step, before the other one looks', async () => {
  let backMs = 0;
  const look = createDatabaseClock(knex, 30, async () => (await readClock(knex)) - backMs);
  await look();
  await recordLife(knex, worker, true);
  await recordLife(knex, api, true);
  const moved = (seconds: number) => (column: string) => knex.raw(`?? + make_interval(secs => ?)`, [column, seconds]);
  const all = (by: (column: string) => Knex.Raw) => ({ beat_at: by('beat_at'), temporal_at: by('temporal_at') });
  await knex('processes')
    .where({ id: worker.id })
    .update(all(moved(-300)));
  expect((await raiseOfSilence(knex, SECONDS)).map(({ kind }) => kind)).toEqual(['workers_gone']);
  await knex('processes').update(all(moved(600)));
  backMs = 600_000;
  const lookOfNewApi = createDatabaseClock(knex, 30);
  await lookOfNewApi();
  await look();
  await recordLife(knex, api, true);
  expect((await closeWhatIsOver(knex)).map(({ kind }) => kind)).toEqual([]);
});

/** A command that was claimed or given back just before a step of 40 s: nothing moves it, although the length of the step is known. */
it('a command does not wait for its old time after a step of 40 s', async () => {
  let backMs = 0;
  const look = createDatabaseClock(knex, 30, async () => (await readClock(knex)) - backMs);
  await look();
  const world = await createWorld(knex);
  const { id } = await createPaymentRow(knex, world);
  await knex('outbox')
    .where({ payment_id: id })
    .update({ next_attempt_at: knex.raw(`clock_timestamp() + interval '40 seconds'`) });
  backMs = 40_000;
  await look();
  const { rows } = await knex.raw<{ rows: { ms: number }[] }>(
    `SELECT (extract(epoch FROM next_attempt_at - clock_timestamp()) * 1000)::float8 AS ms FROM outbox WHERE payment_id = ?`,
    [id],
  );
  // The longest pause after a failure takes ten seconds.
  expect(rows[0]!.ms).toBeLessThan(10_000);
});
