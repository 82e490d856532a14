import { randomUUID } from 'node:crypto';
import { verifyWebhook } from '../../client/webhook.ts';
import { insertTest, placeOfWebhook, redeliver } from '../../db/webhooks/deliveries.ts';
import { plainTest, makeSample } from '../../domain/webhooks/sample.ts';
import { optionalEvents, standingEvents } from '../../domain/webhook.ts';
import { createRenew, FRESH_MS } from '../../delivery/attempt.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { readEvent } from '../support/event-bodies.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { ok, startReceiver, type Answers, type Receiver } from '../support/receiver.ts';
import { createWebhookRow, newSecret } from '../support/webhooks.ts';

const { knex, delivering } = await startDelivering();
const secret = newSecret();
let world: World;
let receiver: Receiver;
let webhookId: string;

beforeEach(async () => {
  world = await createWorld(knex);
  receiver = await startReceiver();
  webhookId = await createWebhookRow(knex, world, receiver.origin, { secret, events: optionalEvents });
});

afterEach(() => receiver.close());

const test = (type: string) =>
  knex.transaction(async (trx) => {
    const place = await placeOfWebhook(trx, webhookId);
    const told = type === plainTest ? null : makeSample(type, { id: randomUUID(), now: new Date(), place });
    return insertTest(trx, webhookId, { type, told });
  });
const ended = async () => (await delivering.rows(webhookId)).every(({ state }) => state !== 'pending');
const says =
  (status: number): Answers =>
  (_request, response) =>
    response.writeHead(status).end();

it('a test of each event arrives where the event would, as openapi.yaml has it, marked, and about a payment that does not exist', async () => {
  const types = [...standingEvents, ...optionalEvents];
  for (const type of types) await test(type);
  await delivering.sendUntil(ended);
  expect(receiver.received).toHaveLength(types.length);
  for (const { body, path, headers } of receiver.received) {
    const event = readEvent(body);
    const isBad = (standingEvents as readonly string[]).includes(event.type) && event.type !== 'payment.completed';
    expect([event.type, path]).toEqual([event.type, isBad ? '/unpaid' : '/paid']);
    const place = { wallet_id: world.walletId, network_id: world.networkId };
    if (event.type.startsWith('checkout.')) {
      expect(event).toMatchObject({ test: true, data: { checkout: { external_id: 'test', options: [place] } } });
    } else {
      expect(event).toMatchObject({
        test: true,
        data: { payment: { external_id: 'test', currency: 'TEST', ...place } },
      });
      expect(await knex('payments').where({ id: event.data.payment!.id as string })).toEqual([]);
    }
    await expect(verifyWebhook({ body, headers, secret })).rejects.toMatchObject({ code: 'test' });
    expect(await verifyWebhook({ body, headers, secret, acceptTests: true })).toEqual(event);
  }
  const of = (type: string) =>
    receiver.received.map(({ body }) => readEvent(body)).find((event) => event.type === type)!;
  expect(of('payment.created')).toMatchObject({
    sequence: 1,
    data: { payment: { status: 'pending', transaction_hash: null } },
  });
  expect(of('payment.completed')).toMatchObject({
    sequence: 4,
    data: { payment: { status: 'completed', completed_at: expect.any(String), payer: expect.any(String) } },
  });
});

it('a test without a type has no payment, as before', async () => {
  await test(plainTest);
  await delivering.sendUntil(ended);
  const [{ body }] = receiver.received as [(typeof receiver.received)[number]];
  const { id, timestamp } = readEvent(body);
  expect(JSON.parse(body)).toEqual({
    id,
    type: plainTest,
    api_version: 'v1',
    timestamp,
    sequence: null,
    data: { payment: null },
  });
});

it.each([500, 410])(
  'a test is sent once, and a %d response counts neither as a failure nor towards disabling',
  async (status) => {
    receiver.answer(says(status));
    await test('payment.completed');
    await test(plainTest);
    await delivering.sendUntil(ended);
    expect(await delivering.states(webhookId)).toEqual(['failed', 'failed']);
    expect(await delivering.webhook(webhookId)).toMatchObject({
      is_active: true,
      disabled_reason: null,
      failing_since: null,
    });
    expect(await knex('outbox').where({ workflow_id: `webhooks/${webhookId}` })).toEqual([]);
    expect(await delivering.retry(webhookId)).toBeNull();
    expect(receiver.received).toHaveLength(2);
  },
);

it('a test arrives at a failing webhook, and its success does not end the failing', async () => {
  const since = new Date(Date.now() - 6 * 86_400_000);
  await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: since });
  receiver.answer(says(500));
  await test('payment.completed');
  await delivering.retry(webhookId);
  expect(await delivering.webhook(webhookId)).toMatchObject({ is_active: true, failing_since: since });
  receiver.answer(ok);
  await test('payment.completed');
  await delivering.retry(webhookId);
  expect(await delivering.states(webhookId)).toEqual(['failed', 'delivered']);
  expect(await delivering.webhook(webhookId)).toMatchObject({ is_active: true, failing_since: since });
});

it('a test goes before all other deliveries of a failing webhook', async () => {
  await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: new Date() });
  for (let made = 0; made < 6; made += 1) await move(knex, (await createPaymentRow(knex, world)).id);
  await test(plainTest);
  await delivering.retry(webhookId);
  const types = receiver.received.map(({ body }) => readEvent(body).type);
  // As many as a failing receiver gets; one success ends its failing.
  expect(types.sort()).toEqual([...Array<string>(3).fill('payment.expired'), plainTest]);
});

it('a test is sent once, even if two processes have found it', async () => {
  await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: new Date() });
  receiver.answer((_request, response) => void setTimeout(() => response.writeHead(204).end(), 500));
  await test('payment.completed');
  await Promise.all([delivering.retry(webhookId), delivering.retry(webhookId)]);
  const [row] = await delivering.rows(webhookId);
  expect(receiver.received).toHaveLength(1);
  expect([row!.state, row!.attempts, row!.tries.length]).toEqual(['delivered', 1, 1]);
});

it('a test requested again while it is in flight is sent again, whatever its first result', async () => {
  const { id } = await test('payment.completed');
  receiver.answer((_request, response) => {
    receiver.answer(ok);
    const again = knex.transaction((trx) => redeliver(trx, webhookId, id));
    void again.then(() => response.writeHead(500).end());
  });
  await delivering.sendUntil(async () => receiver.received.length === 2 && (await ended()));
  const [row] = await delivering.rows(webhookId);
  expect([row!.state, row!.attempts, row!.tries.map(({ status }) => status)]).toEqual(['delivered', 1, [500, 204]]);
});

it('a test is not sent again after its process was killed while sending it, and its result says so', async () => {
  await test('payment.completed');
  const [{ id } = { id: '' }] = await delivering.rows(webhookId);
  expect(await delivering.store.beginTests([id])).toEqual([id]);
  expect(await delivering.store.beginTests([id])).toEqual([]);
  expect(await delivering.retry(webhookId)).toBeGreaterThan(0);
  const late = new Date(Date.now() - 1_000);
  await knex('webhook_deliveries').where({ id }).update({ due_at: late });
  // On a busy machine another test's webhook is overdue by now, too.
  expect(await delivering.store.tidy(500)).toContain(webhookId);
  expect(await delivering.retry(webhookId)).toBeNull();
  const [row] = await delivering.rows(webhookId);
  expect(row).toMatchObject({ state: 'failed', attempts: 1, tries: [{ status: null, error: 'interrupted' }] });
  expect((await delivering.webhook(webhookId)).failing_since).toBeNull();
  // A repeated request gets it.
  expect(await knex.transaction((trx) => redeliver(trx, webhookId, id))).not.toBeNull();
  await delivering.sendUntil(ended);
  expect([receiver.received.length, await delivering.states(webhookId)]).toEqual([1, ['delivered']]);
});

it('a failing test holds up no other delivery', async () => {
  receiver.answer((request, response) => response.writeHead(request.body.includes('"test":true') ? 500 : 204).end());
  for (let made = 0; made < 6; made += 1) {
    await test('payment.completed');
    await move(knex, (await createPaymentRow(knex, world)).id);
  }
  await delivering.sendUntil(ended);
  const rows = await delivering.rows(webhookId);
  expect(rows.map(({ state }) => state)).toEqual(Array(6).fill(['failed', 'delivered']).flat());
  expect(rows.map(({ attempts }) => attempts)).toEqual(Array(12).fill(1));
});

it('a test is left to the process that has begun it, however long it waited in another one', async () => {
  await test('payment.completed');
  const { due } = await delivering.store.dueFirsts([], { room: 1, perOwner: 1, limit: 1 });
  const ids = due.map(({ id }) => id);
  expect(await delivering.store.beginTests(ids)).toEqual(ids);
  const readAt = performance.now() - FRESH_MS;
  const waited = due.map((one) => ({ ...one, receiver: { ...one.receiver, readAt } }));
  expect(await Promise.all(waited.map(createRenew(delivering.store)))).toEqual([null]);
});
