import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { closeWhatIsOver } from '../../db/alerts/over.ts';
import { connect } from '../../db/connection.ts';
import { recordLife } from '../../db/processes/processes.ts';
import { onMeasure } from '../../runtime/measures.ts';
import { watchClock, watchOutsideClock } from '../../outbox/sign-of-life.ts';
import { createChainClock } from '../support/clock.ts';
import { createTestDatabase } from '../support/database.ts';

const lines: string[] = [];
const note = (message: string): void => void lines.push(message);
const log = { debug: note, info: note, warn: note, error: note };
const self = { id: randomUUID(), kind: 'worker', name: '1@here' } as const;

const knex = connect((await createTestDatabase()).url, { pool: 2 });
afterAll(() => knex.destroy());

const open = () => knex('alerts').where({ kind: 'clock_wrong', closed_at: null }).pluck('message');

it('a clock that is wrong by thirty seconds raises one alert, which ends when the clock is right', async () => {
  const ahead: number[] = [];
  onMeasure('clock', ({ aheadMs }) => ahead.push(aheadMs));
  const compare = watchClock(knex, self, log);
  /** As at a sign of life of a process whose clock is wrong by so much, which took so long. */
  const live = async (wrongMs: number, tookMs = 0): Promise<void> => {
    const databaseMs = await recordLife(knex, self, true);
    await compare({
      askedAt: databaseMs + wrongMs - tookMs / 2,
      databaseMs,
      endedAt: databaseMs + wrongMs + tookMs / 2,
    });
  };
  const before = Date.now();
  const read = await recordLife(knex, self, true);
  expect(read).toBeGreaterThanOrEqual(before);
  expect(read).toBeLessThanOrEqual(Date.now() + 1);
  await live(29_000);
  // In so long a time it is unknown when the database has read its clock.
  await live(60_000, 90_000);
  expect(await open()).toEqual([]);
  await live(-300_000, 100);
  await live(-300_100);
  expect(await open()).toEqual(["The clock of the worker 1@here is 300 seconds behind the database's"]);
  await live(100);
  expect(await open()).toEqual([]);
  await live(31_000);
  expect(await open()).toEqual(["The clock of the worker 1@here is 31 seconds ahead of the database's"]);
  // The next process of that name begins anew.
  await watchClock(knex, self, log)({ askedAt: 0, databaseMs: 0, endedAt: 0 });
  expect(await open()).toEqual([]);
  expect(ahead.slice(0, 4)).toEqual([29_000, 60_000, -300_000, -300_100]);
  expect(lines).toHaveLength(4);
});

it('a clock that is still wrong after its process was silent raises the alert again', async () => {
  const pass = createChainClock();
  const compare = watchClock(knex, self, log);
  const live = async (): Promise<void> => {
    const databaseMs = await recordLife(knex, self, true);
    await compare({ askedAt: databaseMs + 300_000, databaseMs, endedAt: databaseMs + 300_000 });
  };
  await live();
  await knex('processes').update({ beat_at: knex.raw("clock_timestamp() - interval '61 seconds'") });
  await closeWhatIsOver(knex);
  expect(await open()).toEqual([]);
  pass(10_000);
  await live();
  expect(await open()).toHaveLength(1);
  mock.restoreAll();
});

it('a clock that differs from most servers elsewhere raises an alert even if the database shares its machine', async () => {
  await knex('alerts').delete();
  const found: { said: { aheadMs: number; servers: number } | null } = { said: null };
  const seen: (number | null)[] = [];
  onMeasure('outsideClock', ({ aheadMs }) => void seen.push(aheadMs));
  const compare = watchOutsideClock(knex, self, { outside: { compare: () => found.said }, log });
  const live = async (aheadMs: number | null): Promise<string[]> => {
    found.said = aheadMs === null ? null : { aheadMs, servers: 3 };
    await compare();
    return open();
  };
  expect(await live(null)).toEqual([]);
  expect(await live(29_000)).toEqual([]);
  expect(await live(-300_000)).toEqual([
    'The clock of the worker 1@here is 300 seconds behind those of most RPC endpoints',
  ]);
  // The database's clock, on the same machine, agrees, and too few servers say anything.
  const databaseMs = await recordLife(knex, self, true);
  await watchClock(knex, self, log)({ askedAt: databaseMs, databaseMs, endedAt: databaseMs });
  expect(await live(null)).toHaveLength(1);
  await closeWhatIsOver(knex);
  expect(await live(null)).toHaveLength(1);
  expect(await live(0)).toEqual([]);
  expect(seen).toEqual([null, 29_000, -300_000, null, null, 0]);
});
