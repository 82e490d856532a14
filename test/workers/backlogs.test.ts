import { randomUUID } from 'node:crypto';
import { move, startDelivering } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { createWebhookRow } from '../support/webhooks.ts';
import { recordLife } from '../../db/processes/processes.ts';
import { disableBacklogs } from '../../db/webhooks/backlog.ts';
import { lookAfter } from '../../workers/look-after.ts';

const { knex, delivering } = await startDelivering();
let world: World;

beforeEach(async () => {
  await knex('webhook_configurations').update({ is_active: false });
  world = await createWorld(knex);
});

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);

/** A configuration with so many undelivered deliveries, one in three of which was tried. */
const withBacklog = async (of: World, count: number, options: Parameters<typeof createWebhookRow>[3] = {}) => {
  const id = await createWebhookRow(knex, of, `https://${randomUUID()}.example`, options);
  await knex.raw(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, attempts)
     SELECT ?, gen_random_uuid(), CASE WHEN n % 3 = 0 THEN 1 ELSE 0 END FROM generate_series(1, ?::int) n`,
    [id, count],
  );
  return id;
};
const failing = { failingSince: hoursAgo(2) };
const statesOf = async (id: string) => {
  const rows = await knex('webhook_deliveries').where({ webhook_id: id }).groupBy('state').select('state').count();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
};
const standOf = async (id: string) => {
  const { is_active, disabled_reason } = await delivering.webhook(id);
  return [is_active, disabled_reason];
};
const [goesOn, isOut] = [
  [true, null],
  [false, 'backlog'],
];

/** Runs a worker's chores until the condition holds. */
const lookAfterUntil = async (
  done: () => Promise<boolean>,
  registerAttributes = async (): Promise<string[]> => [],
): Promise<string[]> => {
  const lines: string[] = [];
  const log = { ...quiet, warn: (message: string) => void lines.push(message) };
  const stop = new AbortController();
  const looking = lookAfter({
    knex,
    registerAttributes,
    name: '17@worker-1',
    profile: 'test',
    offerWindow: 900,
    log,
    signal: stop.signal,
  });
  await eventually(done, 30_000).finally(() => stop.abort());
  await looking;
  return lines;
};

it('a receiver that is dead for days costs a node that webhook, with one alert, and affects no other', async () => {
  const other = await createWorld(knex);
  const dead = await withBacklog(world, 100_001, failing);
  const small = await withBacklog(world, 30, failing);
  const healthy = await withBacklog(world, 30);
  const ofOther = await withBacklog(other, 30, failing);
  const payment = await createPaymentRow(knex, world);

  const alerts = () => knex('alerts').where({ kind: 'webhook_disabled' }).select('webhook_id', 'node_id', 'data');
  const lines = await lookAfterUntil(async () => (await alerts()).length > 0);
  expect(await standOf(dead)).toEqual(isOut);
  expect(lines).toEqual([
    'A webhook was disabled',
    'A webhook was disabled because too many deliveries of its node were not taken',
  ]);
  let looks = 0;
  expect(await lookAfterUntil(async () => (looks += 1) > 60)).toEqual([]);
  expect(await alerts()).toEqual([
    { webhook_id: dead, node_id: world.nodeId, data: expect.objectContaining({ reason: 'backlog' }) },
  ]);

  // The sender ends the deliveries that a single statement leaves, and sends none of them.
  await eventually(async () => {
    await delivering.store.tidy(1_000_000);
    return (await statesOf(dead)).pending === undefined;
  });
  await move(knex, payment.id);
  expect(await statesOf(dead)).toEqual({ skipped: 100_002 });
  for (const id of [small, healthy]) expect([await standOf(id), await statesOf(id)]).toEqual([goesOn, { pending: 31 }]);
  expect([await standOf(ofOther), await statesOf(ofOther)]).toEqual([goesOn, { pending: 30 }]);
});

it('search attributes that Temporal lacks raise an alert that names them, until it has them', async () => {
  const alerts = () => knex('alerts').where({ kind: 'chore_failing' }).select('data', 'closed_at');
  const lost = async () => ['PaymentIds', 'NodeIds'];
  await recordLife(knex, { id: randomUUID(), kind: 'worker', name: '17@worker-1' }, true);
  await lookAfterUntil(async () => (await alerts()).length > 0, lost);
  expect(await alerts()).toEqual([
    {
      closed_at: null,
      data: expect.objectContaining({ chore: 'search_attributes', error: 'Error PaymentIds, NodeIds' }),
    },
  ]);
  // Every third question takes too long: that they are lost is still known.
  let answered = 0;
  const slow = async (): Promise<string[]> => {
    answered += 1;
    if (answered % 3 === 0) throw new Error('DEADLINE_EXCEEDED');
    return lost();
  };
  await lookAfterUntil(async () => answered > 6, slow);
  expect(await alerts()).toEqual([expect.objectContaining({ closed_at: null })]);
  const isClosed = async () => (await alerts()).every(({ closed_at }) => closed_at !== null);
  await lookAfterUntil(isClosed);
  // A Temporal that does not answer has an alert of its own.
  let asked = 0;
  const silent = async (): Promise<string[]> => {
    asked += 1;
    throw new Error('no answer');
  };
  await lookAfterUntil(async () => asked > 2, silent);
  expect(await isClosed()).toBe(true);
});

it('the largest backlogs are disabled until the others are few enough, and a node below counts for itself', async () => {
  const child = randomUUID();
  await knex('nodes').insert({ id: child, name: 'child', parent_id: world.nodeId, path: [world.nodeId, child] });
  const sizes = [40, 3, 50, 4, 5];
  const ids: string[] = [];
  for (const size of sizes) ids.push(await withBacklog(world, size, failing));
  const ofChild = await withBacklog(world, 12, { ...failing, nodeId: child });
  const gone = await disableBacklogs(knex, { failing: 12, inAll: 1_000 });
  expect(new Set(gone.map(({ webhookId }) => webhookId))).toEqual(new Set([ids[0], ids[2]]));
  expect(gone).toHaveLength(2);
  expect(await standOf(ofChild)).toEqual(goesOn);
  expect(await disableBacklogs(knex, { failing: 12, inAll: 1_000 })).toEqual([]);
});

it('webhooks that have failed for less than an hour have more room, shared with the others of the node', async () => {
  const slow = await withBacklog(world, 30);
  const fresh = await withBacklog(world, 20, { failingSince: hoursAgo(0.9) });
  const dead = await withBacklog(world, 10, failing);
  const bounds = { failing: 9, inAll: 50 };
  // With the dead one they were too many, without it they are not.
  expect(await disableBacklogs(knex, bounds)).toEqual([{ webhookId: dead, reason: 'backlog' }]);
  await withBacklog(world, 1);
  expect(await disableBacklogs(knex, bounds)).toEqual([{ webhookId: slow, reason: 'backlog' }]);
  expect(await standOf(fresh)).toEqual(goesOn);
});

it('a worker killed on the way leaves everything unchanged, and the next one does the work', async () => {
  const dead = await withBacklog(world, 30, failing);
  const bounds = { failing: 20, inAll: 100 };
  const holder = await knex.transaction();
  await holder('webhook_deliveries').where({ webhook_id: dead }).forUpdate();
  const dying = disableBacklogs(knex, bounds).catch((error: Error) => error);
  const kill = () =>
    knex.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  await eventually(async () => (await kill()).rows.length > 0);
  expect(await dying).toBeInstanceOf(Error);
  expect([await standOf(dead), await statesOf(dead)]).toEqual([goesOn, { pending: 30 }]);
  await holder.rollback();
  expect(await disableBacklogs(knex, bounds)).toHaveLength(1);
  expect([await standOf(dead), await statesOf(dead)]).toEqual([isOut, { skipped: 30 }]);
});

it('a locked configuration is left for the next pass', async () => {
  const dead = await withBacklog(world, 30, failing);
  const bounds = { failing: 20, inAll: 100 };
  const holder = await knex.transaction();
  await holder('webhook_configurations').where({ id: dead }).forUpdate();
  expect(await disableBacklogs(knex, bounds)).toEqual([]);
  await holder.rollback();
  expect(await disableBacklogs(knex, bounds)).toHaveLength(1);
});

it('a configuration that accepts a delivery while others are disabled stays', async () => {
  const ids = [await withBacklog(world, 30, failing), await withBacklog(world, 40, failing)].sort();
  const [first, second] = ids as [string, string];
  const holder = await knex.transaction();
  await holder('webhook_deliveries').where({ webhook_id: first }).forUpdate();
  const disabling = disableBacklogs(knex, { failing: 20, inAll: 100 });
  await eventually(async () => {
    const waiting = "datname = current_database() AND wait_event_type = 'Lock'";
    return (await knex('pg_stat_activity').whereRaw(waiting)).length > 0;
  });
  await knex('webhook_configurations').where({ id: second }).update({ failing_since: null });
  await holder.rollback();
  expect(await disabling).toEqual([{ webhookId: first, reason: 'backlog' }]);
  expect([await standOf(second), await statesOf(second)]).toEqual([goesOn, { pending: expect.any(Number) }]);
});

it('orders that expire together do not hold up the other chores of a worker', async () => {
  await knex.raw(
    `INSERT INTO checkouts (id, node_id, external_id, payment_group, expires_at, expires_unix)
     SELECT gen_random_uuid(), :node, 'order-' || n, 'product', to_timestamp(t.at), t.at
     FROM generate_series(1, 1200) n, (SELECT extract(epoch FROM now())::bigint - 60 AS at) t`,
    { node: world.nodeId },
  );
  const open = async () => Number((await knex('checkouts').where({ status: 'open' }).count('* AS left').first())!.left);
  /** Orders that were open at each round of the chores. */
  const seen: number[] = [];
  await lookAfterUntil(
    async () => (await open()) === 0,
    async () => {
      seen.push(await open());
      return [];
    },
  );
  expect(seen.slice(0, 3)).toEqual([1_200, 700, 200]);
});
