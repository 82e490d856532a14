import type { ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { holdTimers } from '../support/clock.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { createWebhookRow } from '../support/webhooks.ts';

/* Nothing that one merchant does, on purpose or not, costs the others anything. */

// With the pauses of production, for which no test waits.
const { knex, delivering } = await startDelivering('production');
let world: World;
let other: World;
let receiver: Receiver;
let healthy: string;

beforeEach(async () => {
  [world, other] = [await createWorld(knex), await createWorld(knex)];
  receiver = await startReceiver();
  healthy = await createWebhookRow(knex, world, receiver.origin);
});

afterEach(() => {
  mock.restoreAll();
  return receiver.close();
});

const event = async (of: World): Promise<void> => void (await move(knex, (await createPaymentRow(knex, of)).id));
const events = (of: World, count: number) => Promise.all(Array.from({ length: count }, () => event(of)));
const isAllDelivered = async (): Promise<boolean> =>
  (await delivering.states(healthy)).every((state) => state === 'delivered');

it.each([
  { nodes: 1, webhooks: 40, least: 300, bound: 512 },
  // Of 2,048, three nodes may have 512 each. The fourth has 171 then, and gets half of the 341 that are free.
  { nodes: 4, webhooks: 16, least: 1_400, bound: 3 * 512 + 171 + 171 },
])('$nodes node(s) with many webhooks that turn slow have a bounded part of the deliveries in flight', async (many) => {
  // No attempt is given up, so that hundreds are in flight at once, however slow the machine is.
  holdTimers(10_000);
  const asked = new Map<string, number>();
  let [now, most, latest] = [0, 0, 0];
  const held: ServerResponse[] = [];
  const late = await startReceiver({
    answer: ({ headers: { host = '' } }, response) => {
      const before = asked.get(host) ?? 0;
      asked.set(host, before + 1);
      if (before < 28) return void response.writeHead(204).end();
      most = Math.max(most, (now += 1));
      latest = Date.now();
      held.push(response.on('close', () => (now -= 1)));
    },
  });
  for (let node = 0; node < many.nodes; node += 1) {
    const slow = await createWorld(knex);
    for (let index = 0; index < many.webhooks; index += 1)
      await createWebhookRow(knex, slow, late.origin.replace('127.0.0.1', `shop-${node}-${index}.localhost`));
    await events(slow, 100);
  }
  let hasBegun = false;
  let givenUp = 0;
  await delivering.sendUntil(async () => {
    // On a busy machine a line that waits for its next query for two seconds begins anew, so that fewer may be in flight at last.
    const isFull = Date.now() - latest > (now > many.least ? 200 : 5_000);
    if (!hasBegun && now > 0 && isFull) {
      hasBegun = true;
      await events(world, 10);
    }
    if (!hasBegun || !(await isAllDelivered())) return false;
    givenUp = held.length - now;
    for (const response of held) response.writeHead(204).end();
    return true;
  });
  expect(receiver.received).toHaveLength(10);
  // They have waited for the end of none of the slow ones.
  expect(givenUp).toBe(0);
  expect(most).toBeLessThanOrEqual(many.bound);
  await late.close();
});

it.each(['webhook_configurations', 'webhook_deliveries'])(
  'a transaction that locks rows of %s for long delays no other webhook',
  async (table) => {
    const broken = await startReceiver({ answer: (_request, response) => response.writeHead(500).end() });
    const failing = await createWebhookRow(knex, other, broken.origin);
    await events(other, 3);
    await events(world, 100);
    const holder = await knex.transaction();
    await holder(table)
      .where(table === 'webhook_deliveries' ? { webhook_id: failing } : { id: failing })
      .forUpdate();
    await delivering.sendUntil(async () => broken.received.length >= 3 && (await isAllDelivered()));
    expect((await delivering.rows(failing)).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    await holder.rollback();
    await broken.close();
  },
);

it('locked rows of a disabled webhook delay no other webhook', async () => {
  const disabled = await createWebhookRow(knex, other, receiver.origin);
  await events(other, 3);
  await knex('webhook_configurations').where({ id: disabled }).update({ is_active: false });
  const holder = await knex.transaction();
  await holder('webhook_deliveries').where({ webhook_id: disabled }).forUpdate();
  await delivering.sendUntil(async () => {
    const { rows } = await knex.raw<{ rows: unknown[] }>(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length > 0 && (await delivering.rows(healthy)).length === 0) await events(world, 3);
    if (receiver.received.length < 3 || !(await isAllDelivered())) return false;
    await holder.rollback();
    return true;
  });
  expect(receiver.received).toHaveLength(3);
});

it('the results of a locked webhook are recorded once, when the lock is released', async () => {
  const broken = await startReceiver({ answer: (_request, response) => response.writeHead(500).end() });
  const failing = await createWebhookRow(knex, other, broken.origin);
  await events(other, 3);
  const holder = await knex.transaction();
  await holder('webhook_configurations').where({ id: failing }).forUpdate();
  await delivering.sendUntil(async () => {
    if (broken.received.length === 3 && !holder.isCompleted()) await holder.rollback();
    return (await delivering.rows(failing)).every(({ attempts }) => attempts === 1);
  });
  expect(broken.received).toHaveLength(3);
  expect((await delivering.rows(failing)).map(({ tries }) => tries.length)).toEqual([1, 1, 1]);
  expect((await delivering.webhook(failing)).failing_since).toEqual(expect.any(Date));
  await broken.close();
});
