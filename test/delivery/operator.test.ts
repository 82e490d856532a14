import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { endCondition, raiseAlerts } from '../../db/alerts/alerts.ts';
import { queueAlive, createOperatorDeliveryStore } from '../../db/webhooks/operator.ts';
import { connect } from '../../db/connection.ts';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';
import { assertMasterKey } from '../../workers/webhooks.ts';
import { createTestDatabase } from '../support/database.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createWorld, type World } from '../support/fixtures.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { sendToOperator, storeOperator } from '../support/operator.ts';
import { startSender } from '../support/sender.ts';
import { createWebhookRow, newSecret } from '../support/webhooks.ts';
import { silent } from '../support/workflow-worker.ts';

const masterKey = new Uint8Array(32).fill(7);
let knex: ReturnType<typeof connect>;
let world: World;
let receiver: Receiver;

beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
  world = await createWorld(knex);
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());
afterAll(() => knex.destroy());

const store = (url: string, secret: string) => storeOperator(knex, url, secret);
const urlOf = (auth = '') => `${receiver.origin.replace('//', `//${auth}`)}/alerts?from=carat`;
const raise = async (subject: string = randomUUID()) => {
  const condition = { kind: 'network_halted', subject } as const;
  await raiseAlerts(knex, world.networkId, [{ ...condition, message: 'It is halted' }]);
  return condition;
};

/** Lets a sender work until the receiver has got so many requests. */
const received = async (count: number): Promise<Received[]> => {
  const sender = sendToOperator(knex);
  try {
    await eventually(() => receiver.received.length >= count);
    const pending = () => knex('webhook_deliveries').where({ webhook_id: operatorWebhookId, state: 'pending' });
    await eventually(async () => (await pending()).length === 0);
  } finally {
    await sender.stop();
  }
  return receiver.received;
};

it("the operator's webhook gets an alert and its end, signed, as openapi.yaml says", async () => {
  const secret = newSecret();
  await store(urlOf('carat:p%40ss@'), secret);
  await endCondition(knex, await raise());
  const requests = await received(2);
  const events = requests.map(({ body }) => readEvent(body));
  expect(events.map(({ type }) => type).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'alert.closed',
    'alert.raised',
  ]);
  const raised = events.find(({ type }) => type === 'alert.raised')!;
  expect(raised).toMatchObject({
    sequence: null,
    data: { alert: { kind: 'network_halted', network_id: world.networkId, message: 'It is halted', closed_at: null } },
  });
  for (const { path, headers, body } of requests) {
    expect(path).toBe('/alerts?from=carat');
    expect(headers.authorization).toBe(`Basic ${Buffer.from('carat:p@ss').toString('base64')}`);
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  }
});

it("the operator's webhook works by signature alone; a new secret signs beside the old one", async () => {
  const [before, after] = [newSecret(), newSecret()];
  await store(urlOf(), before);
  await store(urlOf(), before);
  await store(urlOf(), after);
  await raise();
  const [{ headers, body }] = (await received(1)) as [Received];
  expect(headers.authorization).toBeUndefined();
  for (const secret of [before, after]) {
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeDefined();
  }
});

it("the operator's webhook gets nothing once it is removed, and again when it is back", async () => {
  await store(urlOf(), newSecret());
  await raise();
  await store('', '');
  await raise();
  const states = () => knex('webhook_deliveries').where({ webhook_id: operatorWebhookId }).orderBy('id').pluck('state');
  const count = (await states()).length;
  expect((await states()).at(-1)).toBe('canceled');
  expect(await knex('webhook_configurations').where({ id: operatorWebhookId }).first()).toMatchObject({
    encrypted_credentials: null,
    encrypted_signing_secret: null,
  });
  await store(urlOf(), newSecret());
  await raise();
  expect(await received(1)).toHaveLength(1);
  expect(await states()).toHaveLength(count + 1);
});

it("the operator's webhook gets each alert from one of the processes that send, with and without failed first attempts", async () => {
  await store(urlOf(), newSecret());
  const keys = await Promise.all(Array.from({ length: 20 }, () => raise()));
  receiver.answer((_request, response) => {
    // The first few are not taken, and come again.
    response.writeHead(receiver.received.length <= 5 ? 503 : 204).end();
  });
  const senders = Array.from({ length: 3 }, () => sendToOperator(knex));
  const pending = () => knex('webhook_deliveries').where({ webhook_id: operatorWebhookId, state: 'pending' });
  await eventually(async () => (await pending()).length === 0);
  await Promise.all(senders.map((sender) => sender.stop()));
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(keys.length);
  expect(ids).toHaveLength(keys.length + 5);
});

it("the operator's webhook gets the deliveries of a killed process once more, with the same bytes", async () => {
  await store(urlOf(), newSecret());
  await raise();
  const orphan = createOperatorDeliveryStore(knex);
  const [taken] = await orphan.claim(8, 1_500);
  expect(await orphan.claim(8, 1_500)).toEqual([]);
  await orphan.keepBodies([{ id: taken!.eventId, body: '{"kept":true}' }]);
  const [again, ...others] = await received(1);
  expect([again!.headers['webhook-id'], again!.body, others]).toEqual([taken!.eventId, '{"kept":true}', []]);
});

it("a failing webhook, the operator's or a merchant's, logs one line when it begins to fail and one when it ends", async () => {
  const lines: { message: string; id: unknown }[] = [];
  const note = (message: string, fields: Record<string, unknown> = {}): void =>
    void lines.push({ message, id: fields['webhook_id'] });
  const log = { debug: () => {}, info: note, warn: note, error: note };
  const begins = 'A webhook started to fail';
  const of = (id: string) => lines.filter((line) => line.id === id).map(({ message }) => message);
  await store(urlOf(), newSecret());
  receiver.answer((_request, response) => response.writeHead(receiver.received.length <= 3 ? 503 : 204).end());
  await raise();
  const sender = sendToOperator(knex, log);
  await eventually(() => receiver.received.length >= 4 && of(operatorWebhookId).length > 1);
  await sender.stop();
  expect(of(operatorWebhookId)).toEqual([begins, 'A webhook recovered']);

  const webhookId = await createWebhookRow(knex, world, receiver.origin, { secret: newSecret() });
  receiver.answer((_request, response) => response.writeHead(503).end());
  for (let count = 0; count < 3; count += 1) {
    const [event] = await knex('webhook_events').insert({ type: 'webhook.test', snapshot: '{}' }).returning('id');
    await knex('webhook_deliveries').insert({ webhook_id: webhookId, event_id: event.id });
  }
  const merchants = startSender(knex, new Uint8Array(32).fill(5), log);
  await eventually(() => of(webhookId).length > 0);
  await merchants.stop();
  expect(of(webhookId)).toEqual([begins]);
});

it('the sender to merchants sends nothing to the operator', async () => {
  await store(urlOf(), newSecret());
  await raise();
  const told: string[] = [];
  const sender = startSender(knex, masterKey, { ...silent, error: (text) => void told.push(text) });
  const merchant = await startReceiver();
  try {
    const webhookId = await createWebhookRow(knex, world, merchant.origin, { secret: newSecret() });
    const [event] = await knex('webhook_events').insert({ type: 'webhook.test', snapshot: '{}' }).returning('id');
    await knex('webhook_deliveries').insert({ webhook_id: webhookId, event_id: event.id });
    // The rows of merchants have another master key in these tests.
    await eventually(() => told.length > 0);
  } finally {
    await sender.stop();
    await merchant.close();
  }
  expect(receiver.received).toEqual([]);
  expect(await received(1)).toHaveLength(1);
});

it("the operator's webhook gets one sign of life in an interval from all processes together, and none of past intervals", async () => {
  await store(urlOf(), newSecret());
  receiver.answer((_request, response) => response.writeHead(503).end());
  const queueAll = () => Promise.all(Array.from({ length: 8 }, () => queueAlive(knex, 60)));
  const anIntervalAgo = () => knex('alive_turn').update({ told_at: new Date(Date.now() - 61_000) });
  await queueAll();
  await queueAll();
  await anIntervalAgo();
  await queueAll();
  const deliveries = () =>
    knex('webhook_deliveries AS d')
      .join('webhook_events AS e', 'e.id', 'd.event_id')
      .where({ 'e.type': 'carat.alive', 'd.webhook_id': operatorWebhookId })
      .orderBy('d.id')
      .pluck('d.state');
  expect(await deliveries()).toEqual(['canceled', 'pending']);
  receiver.answer((_request, response) => response.writeHead(204).end());
  const [request] = await received(1);
  expect(readEvent(request!.body)).toMatchObject({
    type: 'carat.alive',
    sequence: null,
    data: { interval_seconds: 60 },
  });
  expect(receiver.received).toHaveLength(1);
});

it.each([
  ['http://10.0.0.1/alerts', newSecret(), 'CARAT_ALERT_WEBHOOK must'],
  ['https://alerts.example/', '', 'CARAT_ALERT_WEBHOOK_SECRET is missing'],
])("the operator's webhook cannot be %s", async (url, secret, problem) => {
  await expect(store(url, secret)).rejects.toThrow(problem);
});

it('a worker does not start with another master key than the one that encrypted the webhooks', async () => {
  await createWebhookRow(knex, world, receiver.origin);
  await assertMasterKey({ knex, masterKey: new Uint8Array(32).fill(5) });
  await expect(assertMasterKey({ knex, masterKey })).rejects.toThrow('The master key cannot decrypt webhook');
});
