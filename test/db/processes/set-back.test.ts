import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { readStatus } from '../../../api/service/status.ts';
import { queueAlive, createOperatorDeliveryStore } from '../../../db/webhooks/operator.ts';
import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { raiseOfSilence } from '../../../db/alerts/silence.ts';
import { connect } from '../../../db/connection.ts';
import { keysWithoutHolder, renewHolder } from '../../../db/lane/holders.ts';
import { recordLife, recordLook } from '../../../db/processes/processes.ts';
import { createDatabaseClock, readClock } from '../../../db/processes/set-back.ts';
import { operatorWebhookId } from '../../../domain/alerts/alert.ts';
import { createTestDatabase } from '../../support/database.ts';
import { move } from '../../support/deliveries.ts';
import { createPaymentRow, createWorld, hex } from '../../support/fixtures.ts';
import { storeOperator } from '../../support/operator.ts';
import { createWebhookRow, newSecret } from '../../support/webhooks.ts';

/*
 * The database's clock is set back by ten minutes: a standby takes over whose machine is ten minutes behind, or NTP corrects a machine
 * that had booted ten minutes ahead. Here all stored times move ahead by ten minutes instead, which is the same to every statement.
 */

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
  await knex('webhook_configurations').whereNot({ id: operatorWebhookId }).delete();
});
afterAll(() => knex.destroy());

const STEP = 600;

/** The database's clock, which was read before a step of so many seconds back, or begins to be read after it. */
const clock = async (knowsStep: boolean, step = STEP) => {
  let backMs = 0;
  const look = createDatabaseClock(knex, SECONDS, async () => (await readClock(knex)) - backMs);
  if (knowsStep) await look();
  backMs = step * 1_000;
  return look;
};

const later = (columns: readonly string[], seconds: number) =>
  Object.fromEntries(columns.map((column) => [column, knex.raw(`?? + make_interval(secs => ?)`, [column, seconds])]));

/** @param ago seconds that have passed since the clock was set back by ten minutes */
const setBack = async (table: string, columns: readonly string[], ago: number, knowsStep = true): Promise<void> => {
  const look = await clock(knowsStep);
  await knex(table).update(later(columns, STEP - ago));
  expect(await look()).toEqual({ wasSet: knowsStep });
};

it('workers that died as the clock was set back are missed: an alert says so, and /status', async () => {
  await recordLife(knex, worker, true);
  await recordLife(knex, api, true);
  // The last worker died with the old server; the api lives on. A minute has passed since.
  await setBack('processes', ['beat_at', 'temporal_at'], 60);
  await recordLife(knex, api, true);
  const { workers } = await readStatus({ knex, silenceSeconds: SECONDS });
  const raised = (await raiseOfSilence(knex, SECONDS)).map(({ kind }) => kind);
  expect({ raised, workers: workers.status }).toEqual({ raised: ['workers_gone'], workers: 'down' });
});

it('the open alert about missing workers does not end because the clock was put right: no worker has come back', async () => {
  await recordLife(knex, worker, true);
  await recordLife(knex, api, true);
  const earlier = (column: string) => knex.raw(`?? - make_interval(secs => ?)`, [column, 300]);
  await knex('processes')
    .where({ id: worker.id })
    .update({ beat_at: earlier('beat_at') });
  expect((await raiseOfSilence(knex, SECONDS)).map(({ kind }) => kind)).toEqual(['workers_gone']);
  // Five minutes after the death of the last worker, somebody puts a clock right that was ten minutes ahead.
  await setBack('processes', ['beat_at', 'temporal_at'], 0);
  await recordLife(knex, api, true);
  expect((await closeWhatIsOver(knex)).map(({ kind }) => kind)).toEqual([]);
});

it('a Temporal that went away as the clock was set back is missed, although a worker lives', async () => {
  await recordLife(knex, worker, true);
  await setBack('processes', ['beat_at', 'temporal_at'], 60);
  // The worker gives signs of life, and Temporal answers none of its pings.
  await recordLife(knex, worker, false);
  const { temporal } = await readStatus({ knex, silenceSeconds: SECONDS });
  const raised = (await raiseOfSilence(knex, SECONDS)).map(({ kind }) => kind);
  expect({ raised, temporal: temporal.status }).toEqual({ raised: ['temporal_unreachable'], temporal: 'down' });
});

it('a watcher that died as the clock was set back is missed by /status', async () => {
  const world = await createWorld(knex);
  await recordLook(knex, world.networkId, 7);
  await setBack('network_looks', ['looked_at', 'risen_at'], 120);
  const { network_list: networks } = await readStatus({ knex, silenceSeconds: SECONDS });
  expect(networks.find(({ network_id: id }) => id === world.networkId)?.status).toBe('down');
});

it('a key whose only holder died as the clock was set back is known to have none', async () => {
  const operatorAddress = hex(20);
  const world = await createWorld(knex, { operatorAddress });
  const [dead, other] = [randomUUID(), randomUUID()];
  await renewHolder(knex, dead, [operatorAddress]);
  await setBack('key_holders', ['seen_at'], 60);
  await renewHolder(knex, other, [hex(20)]);
  const keyless = (await keysWithoutHolder(knex)).filter(({ networkId }) => networkId === world.networkId);
  expect(keyless.map(({ address }) => address)).toContain(operatorAddress);
});

it("the operator's dead man's switch goes on after the clock was set back", async () => {
  await knex('alive_turn').update({ told_at: knex.raw(`clock_timestamp() - interval '1 hour'`) });
  await queueAlive(knex, 60);
  const told = () =>
    knex('webhook_deliveries')
      .where({ webhook_id: operatorWebhookId })
      .then(({ length }) => length);
  expect(await told()).toBe(1);
  // Two minutes later, with an interval of one.
  await setBack('alive_turn', ['told_at'], 120);
  await queueAlive(knex, 60);
  expect(await told()).toBe(2);
});

it('a process that begins after the step does not know it: signs of the future count as too old', async () => {
  await recordLife(knex, worker, true);
  await setBack('processes', ['beat_at', 'temporal_at'], 60, false);
  const [{ age }] = (await knex('processes').select(
    knex.raw(`extract(epoch FROM clock_timestamp() - beat_at)::float8 AS age`),
  )) as [{ age: number }];
  expect(Math.round(age)).toBe(SECONDS);
});

it('commands do not wait until the clock has come to their time', async () => {
  const world = await createWorld(knex);
  await createPaymentRow(knex, world);
  await setBack('outbox', ['next_attempt_at'], 60);
  const waiting = await knex('outbox').where('next_attempt_at', '>', knex.raw('clock_timestamp()'));
  expect(waiting).toEqual([]);
});

/** When the one pending delivery is due, and the seconds until then. */
const due = async (): Promise<{ seconds: number; at: Date }> => {
  const waits = knex.raw('extract(epoch FROM due_at - clock_timestamp())::float8 AS seconds, due_at AS at');
  const rows = await knex('webhook_deliveries')
    .where({ state: 'pending' })
    .select<{ seconds: number; at: Date }[]>(waits);
  return rows[0]!;
};

it("a merchant's retries wait as long as before the step, in parts of which several have the same time", async () => {
  const world = await createWorld(knex);
  const webhook_id = await createWebhookRow(knex, world, 'http://127.0.0.1:1', { failingSince: new Date() });
  await move(knex, (await createPaymentRow(knex, world)).id);
  await knex('webhook_deliveries')
    .where({ webhook_id })
    .update({ attempts: 1, due_at: knex.raw(`clock_timestamp() + interval '5 seconds'`) });
  await knex.raw(`INSERT INTO webhook_events SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'sequence', 100 + number))).*
    FROM webhook_events e, generate_series(1, 6000) AS number`);
  await knex.raw(`INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts, due_at)
    SELECT d.webhook_id, e.id, 'pending', 1, d.due_at + make_interval(hours => (random() * 3)::int)
    FROM webhook_deliveries d, webhook_events e WHERE e.id <> d.event_id`);
  const times = (): Promise<Date[]> => knex('webhook_deliveries').where({ webhook_id }).orderBy('id').pluck('due_at');
  const before = await times();
  await setBack('webhook_deliveries', ['due_at'], 0);
  const moved = (await times()).map((time, index) => Math.abs(time.getTime() - before[index]!.getTime()));
  expect(moved).toHaveLength(6_001);
  // The step is known as exactly as the clock can be read.
  expect(Math.max(...moved)).toBeLessThan((STEP * 1_000) / 10);
});

it.each([
  ['it was stored a moment before', true, false],
  ['a process had claimed it', true, true],
  ['it was stored a moment before, and no process knows the step', false, false],
])('an event for the operator does not wait for its old time after a step: %s', async (_, knowsStep, isClaimed) => {
  await knex('alive_turn').update({ told_at: knex.raw(`clock_timestamp() - interval '1 hour'`) });
  await queueAlive(knex, 60);
  const store = createOperatorDeliveryStore(knex);
  if (isClaimed) expect(await store.claim(10, 15_000)).toHaveLength(1);
  const { at: before } = await due();
  await setBack('webhook_deliveries', ['due_at'], 0, knowsStep);
  const { seconds, at } = await due();
  expect(seconds).toBeLessThanOrEqual(isClaimed ? 15 : 0);
  expect(at.getTime()).toBeGreaterThanOrEqual(before.getTime() - 1);
});

it('a clock that was set ahead is told once, and moves nothing', async () => {
  let backMs = 0;
  const look = createDatabaseClock(knex, SECONDS, async () => (await readClock(knex)) - backMs);
  expect(await look()).toEqual({ wasSet: false });
  await recordLife(knex, worker, true);
  const stored = await knex('processes').select();
  backMs = -STEP * 1_000;
  expect(await look()).toEqual({ wasSet: true });
  expect(await look()).toEqual({ wasSet: false });
  expect(await knex('processes').select()).toEqual(stored);
});

const times = ['beat_at', 'temporal_at'];

/** The last worker has died so many seconds ago, and an alert says so. */
const missWorkers = async (ago: number): Promise<void> => {
  await recordLife(knex, worker, true);
  await recordLife(knex, api, true);
  await knex('processes').where({ id: worker.id }).update(later(times, -ago));
  expect((await raiseOfSilence(knex, SECONDS)).map(({ kind }) => kind)).toEqual(['workers_gone']);
};

/** The sign of the dead worker is then not of the future, but of a moment ago. */
it.each([
  [20, 40],
  [600, 610],
])(
  'the open alert about missing workers stays open after a step of %d s, %d s after the last worker died',
  async (step, ago) => {
    const look = await clock(true, step);
    await missWorkers(ago);
    await knex('processes').update(later(times, step));
    await look();
    await recordLife(knex, api, true);
    expect((await closeWhatIsOver(knex)).map(({ kind }) => kind)).toEqual([]);
  },
);

it('the open alert about missing workers stays open where an api starts right after the step, before the other one looks', async () => {
  const look = await clock(true);
  await missWorkers(300);
  await knex('processes').update(later(times, STEP));
  // It does not know the length of the step.
  await createDatabaseClock(knex, SECONDS)();
  await look();
  await recordLife(knex, api, true);
  expect((await closeWhatIsOver(knex)).map(({ kind }) => kind)).toEqual([]);
});

it('a command does not wait for its old time after a step of 40 s', async () => {
  const look = await clock(true, 40);
  const world = await createWorld(knex);
  const { id } = await createPaymentRow(knex, world);
  await knex('outbox')
    .where({ payment_id: id })
    .update({ next_attempt_at: knex.raw(`clock_timestamp() + interval '40 seconds'`) });
  await look();
  const { rows } = await knex.raw<{ rows: { ms: number }[] }>(
    `SELECT (extract(epoch FROM next_attempt_at - clock_timestamp()) * 1000)::float8 AS ms FROM outbox WHERE payment_id = ?`,
    [id],
  );
  // The longest pause after a failure takes ten seconds.
  expect(rows[0]!.ms).toBeLessThan(10_000);
});
