import { randomUUID } from 'node:crypto';
import knexFactory from 'knex';
import { note, transition } from '../../../db/payments/transition.ts';
import { replay } from '../../../db/webhooks/deliveries.ts';
import { forgetBeyond, forgetEvents } from '../../../db/webhooks/forget.ts';
import { optionalEvents } from '../../../domain/webhook.ts';
import { createTestDatabase } from '../../support/database.ts';
import { move } from '../../support/deliveries.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../../support/fixtures.ts';
import { createWebhookRow } from '../../support/webhooks.ts';

let world: World;

const knex = knexFactory({ client: 'pg', connection: (await createTestDatabase()).url });
beforeEach(async () => {
  world = await createWorld(knex);
});
afterAll(() => knex.destroy());

const origin = 'https://shop.example';
const eventsOf = (paymentId: string) => knex('webhook_events').where({ payment_id: paymentId }).orderBy('sequence');
const heardBy = (webhookId: string): Promise<string[]> =>
  knex('webhook_deliveries as d')
    .join('webhook_events as e', 'e.id', 'd.event_id')
    .where({ webhook_id: webhookId })
    .orderBy('e.sequence')
    .pluck('e.type');

/** Everything that happens to a payment that is seen, lost, seen again and ends. */
const life = async (paymentId: string): Promise<void> => {
  for (const name of [
    ...(['deal_confirmed', 'payment_detected', 'payment_reorged', 'payment_detected'] as const),
    ...(['payment_confirmed'] as const),
  ]) {
    await move(knex, paymentId, name);
  }
};

it('each webhook gets the events of its choice, in the sequence of the log', async () => {
  const standing = await createWebhookRow(knex, world, origin);
  const all = await createWebhookRow(knex, world, `${origin}:1`, { events: optionalEvents });
  const payment = await createPaymentRow(knex, world);
  await life(payment.id);
  expect(await heardBy(standing)).toEqual(['payment.completed']);
  expect(await heardBy(all)).toEqual([
    'payment.ready',
    'payment.processing',
    'payment.reorged',
    'payment.processing',
    'payment.completed',
  ]);
  const logged = await knex('payment_logs').where({ payment_id: payment.id }).orderBy('sequence');
  const events = await eventsOf(payment.id);
  expect(events.map(({ sequence, created_at }) => [sequence, created_at])).toEqual(
    logged.slice(1).map(({ sequence, created_at }) => [sequence, created_at]),
  );
  expect(events.map(({ snapshot }) => snapshot.status)).toEqual(logged.slice(1).map(({ status }) => status));
});

it('the snapshot has the state of its time, and no personal data', async () => {
  await createWebhookRow(knex, world, origin, { events: optionalEvents });
  const payment = await createPaymentRow(knex, world, { amount: 2n ** 100n });
  await knex('payments').where({ id: payment.id }).update({ client_ip: '192.0.2.7' });
  await life(payment.id);
  const [ready] = await eventsOf(payment.id);
  expect(ready.snapshot).toMatchObject({
    status: 'awaiting_payment',
    price_units: (2n ** 100n).toString(),
    deal_id: payment.dealId.toString(),
  });
  expect(JSON.stringify(ready.snapshot)).not.toContain('192.0.2.7');
});

it('no event is stored for a payment without listeners, without a wallet, or without a move', async () => {
  const silent = await createPaymentRow(knex, world);
  await life(silent.id);
  await createWebhookRow(knex, world, origin, { events: optionalEvents });
  const settled = await createPaymentRow(knex, world, { method: 'bank_transfer' });
  await move(knex, settled.id, 'payment_settled');
  const undone = await createPaymentRow(knex, world);
  await knex
    .transaction(async (trx) => {
      const where = { where: 'p.id = :id', bindings: { id: undone.id } };
      await transition(trx, { name: 'payment_expired', ...where, actor: { type: 'chain' } });
      throw new Error('undone');
    })
    .catch(() => undefined);
  for (const { id } of [silent, settled, undone]) expect(await eventsOf(id)).toEqual([]);
});

it("a child's payment through a wallet of a node above reaches the webhooks of both nodes", async () => {
  const [child, sibling] = [randomUUID(), randomUUID()];
  for (const id of [child, sibling]) {
    await knex('nodes').insert({ id, name: 'child', parent_id: world.nodeId, path: [world.nodeId, id] });
  }
  const hears = {
    everybody: await createWebhookRow(knex, world, origin),
    parent: await createWebhookRow(knex, world, origin, { nodeId: world.nodeId }),
    child: await createWebhookRow(knex, world, origin, { nodeId: child }),
    sibling: await createWebhookRow(knex, world, origin, { nodeId: sibling }),
    disabled: await createWebhookRow(knex, world, `${origin}:1`, { isActive: false }),
  };
  const elsewhere = await createWorld(knex);
  const stranger = await createWebhookRow(knex, elsewhere, origin);
  const { id } = await createPaymentRow(knex, { ...world, nodeId: child });
  await move(knex, id);
  const rows = await knex('webhook_deliveries').select('webhook_id', 'state');
  const stateOf = (webhookId: string) => rows.find((row) => row.webhook_id === webhookId)?.state;
  expect(Object.values(hears).map(stateOf)).toEqual(['pending', 'pending', 'pending', undefined, 'skipped']);
  expect(stateOf(stranger)).toBeUndefined();
  expect(await eventsOf(id)).toHaveLength(1);
});

it('a note has the next sequence, changes no status, and is delivered like a transition', async () => {
  const webhookId = await createWebhookRow(knex, world, origin, { events: ['payment.anomaly'] });
  const { id } = await createPaymentRow(knex, world);
  await life(id);
  const data = { transaction_hash: `0x${'1'.repeat(64)}`, block_number: 7 };
  await knex.transaction((trx) => note(trx, { name: 'payment_reversed', paymentId: id, data }));
  await knex.transaction((trx) => note(trx, { name: 'payment_anomaly', paymentId: id, data, message: 'Odd' }));
  expect(await knex('payments').where({ id }).first()).toMatchObject({ status: 'completed', sequence: 8 });
  const logged = await knex('payment_logs').where({ payment_id: id }).orderBy('sequence');
  expect(logged.slice(6)).toMatchObject([
    { sequence: 7, event_type: 'payment_reversed', status: 'completed', actor_type: 'chain', data },
    { sequence: 8, event_type: 'payment_anomaly', status: 'completed', message: 'Odd' },
  ]);
  expect(await heardBy(webhookId)).toEqual(['payment.completed', 'payment.reversed', 'payment.anomaly']);
  const signals = await knex('outbox').where({ payment_id: id, topic: 'payment_signal' }).orderBy('id');
  expect(signals.at(-1).payload).toMatchObject({ sequence: 8, event_type: 'payment_anomaly', block_number: 7 });
});

it('events that ended 60 days ago are deleted; pending ones are not, and block nothing', async () => {
  const id = await createWebhookRow(knex, world, origin);
  // Ids contain the time. The oldest event is pending, and so are more than one pass reads.
  await knex.raw(
    `INSERT INTO webhook_events (id, type, snapshot)
       SELECT uuidv7(make_interval(days => -70 - n / 100)), n::text, '{}' FROM generate_series(1, 1500) n`,
  );
  await knex.raw(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, state)
       SELECT ?, id, CASE WHEN type::int > 100 THEN 'pending' ELSE 'failed' END FROM webhook_events WHERE type ~ '^[0-9]'`,
    [id],
  );
  const { id: paymentId } = await createPaymentRow(knex, world);
  await move(knex, paymentId);
  while (await forgetEvents(knex, 60));
  expect(await eventsOf(paymentId)).toHaveLength(1);
  const left = await knex('webhook_deliveries').where({ webhook_id: id }).pluck('state');
  expect([left.length, new Set(left)]).toEqual([1_401, new Set(['pending'])]);
  expect(await knex('webhook_events').whereRaw("type ~ '^[0-9]'")).toHaveLength(1_400);
});

it('an event requested again during the cleanup is sent, however old it is', async () => {
  const id = await createWebhookRow(knex, world, origin);
  await knex.raw(
    `INSERT INTO webhook_events (id, type, snapshot)
       SELECT uuidv7(make_interval(days => -61, mins => n)), 'old', '{}' FROM generate_series(1, 4) n`,
  );
  await knex.raw(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, state, created_at)
       SELECT ?, id, CASE WHEN row_number() OVER (ORDER BY id) > 2 THEN 'canceled' ELSE 'failed' END, now() - interval '61 days'
       FROM webhook_events WHERE type = 'old'`,
    [id],
  );
  const replaying = await knex.transaction();
  const time = { from: new Date(Date.now() - 90 * 86_400_000), to: new Date() };
  expect(await replay(replaying, { webhookId: id, ...time, includeDelivered: false })).toBe(2);
  let isForgotten = false;
  const forgetting = forgetEvents(knex, 60).finally(() => (isForgotten = true));
  await eventually(async () => {
    const waiting = "datname = current_database() AND wait_event_type = 'Lock'";
    return isForgotten || (await knex('pg_stat_activity').whereRaw(waiting)).length > 0;
  });
  await replaying.commit();
  await forgetting;
  expect(await knex('webhook_deliveries').where({ webhook_id: id }).pluck('state')).toEqual(['pending', 'pending']);
  expect(await knex('webhook_events').where({ type: 'old' })).toHaveLength(2);
});

describe('the events of a node that has too much stored', () => {
  /** Deliveries of days long ago, each of an event of its own; the first is the oldest. */
  const store = async (webhookId: string, ages: readonly number[], state = 'delivered'): Promise<string[]> => {
    const ids: string[] = [];
    for (const age of ages) {
      const [event] = await knex('webhook_events').insert({ type: 'webhook.test', snapshot: '{}' }).returning('id');
      await deliver(webhookId, event.id, age, state);
      ids.push(event.id);
    }
    return ids;
  };
  const deliver = (webhookId: string, eventId: string, age: number, state: string) =>
    knex('webhook_deliveries').insert({
      webhook_id: webhookId,
      event_id: eventId,
      state,
      created_at: new Date(Date.now() - age * 86_400_000),
      delivered_at: state === 'delivered' ? new Date() : null,
    });
  const told = (webhookId: string): Promise<string[]> =>
    knex('webhook_deliveries').where({ webhook_id: webhookId }).orderBy('id').pluck('event_id');
  const isThere = async (id: string) => (await knex('webhook_events').where({ id })).length === 1;

  beforeEach(async () => {
    await knex('webhook_deliveries').delete();
    await knex('webhook_events').delete();
  });

  it('are deleted from the oldest on, whatever their webhook, but not pending ones or those of others', async () => {
    const elsewhere = await createWorld(knex);
    const stranger = await createWebhookRow(knex, elsewhere, origin);
    const one = await createWebhookRow(knex, world, origin);
    const deleted = await createWebhookRow(knex, world, `${origin}:1`);
    await knex('webhook_configurations').where({ id: deleted }).update({
      deleted_at: new Date(),
      encrypted_credentials: null,
      encrypted_signing_secret: null,
    });
    const ofStranger = await store(stranger, [50, 49, 48]);
    const pending = await store(one, [40], 'pending');
    const kept = await store(one, [5, 4]);
    const old = await store(one, [30, 20]);
    const ofDeleted = await store(deleted, [25, 3], 'canceled');
    // An event with another node's delivery, too, outlives this delivery.
    await deliver(stranger, old[0]!, 1, 'failed');
    // Each pass takes a random node; so many passes do not miss this one.
    for (let look = 0; look < 60; look += 1) await forgetBeyond(knex, 4);
    expect(await told(one)).toEqual([...pending, ...kept]);
    expect(await told(deleted)).toEqual(ofDeleted.slice(1));
    expect(await told(stranger)).toEqual([...ofStranger, old[0]]);
    expect(await Promise.all([...old, ...ofDeleted].map(isThere))).toEqual([true, false, false, true]);
  });

  it('are skipped while locked, without a wait', async () => {
    const id = await createWebhookRow(knex, world, origin);
    const [oldest, next, newest] = await store(id, [30, 20, 10]);
    const holder = await knex.transaction();
    await holder('webhook_deliveries').where({ event_id: oldest }).forUpdate();
    expect(await forgetBeyond(knex, 1)).toBe(true);
    expect(await forgetBeyond(knex, 1)).toBe(false);
    expect(await told(id)).toEqual([oldest, newest]);
    expect(await isThere(next!)).toBe(false);
    await holder.rollback();
    while (await forgetBeyond(knex, 1));
    expect(await told(id)).toEqual([newest]);
  });

  it('are counted while pending, and never deleted', async () => {
    const id = await createWebhookRow(knex, world, origin);
    const ids = await store(id, [30, 20, 10], 'pending');
    expect(await forgetBeyond(knex, 1)).toBe(false);
    expect(await told(id)).toEqual(ids);
  });
});
