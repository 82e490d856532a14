import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { endCondition, raiseAlerts } from '../../db/alerts/alerts.ts';
import { connect } from '../../db/connection.ts';
import { operatorWebhookId } from '../../domain/alert.ts';
import { storeOperatorWebhook } from '../../workers/operator-webhook.ts';
import { assertMasterKey } from '../../workers/webhooks.ts';
import { createTestDatabase } from '../support/database.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createWorld, type World } from '../support/fixtures.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { startSender } from '../support/sender.ts';
import { createWebhookRow, newSecret } from '../support/webhooks.ts';

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

const store = (alertWebhook: string, alertWebhookSecret: string) =>
  storeOperatorWebhook({ knex, masterKey, webhookHosts: 'loopback', alertWebhook, alertWebhookSecret });
const urlOf = (auth = '') => `${receiver.origin.replace('//', `//${auth}`)}/alerts?from=carat`;
const raise = async (key = randomUUID()) => {
  await raiseAlerts(knex, world.networkId, [{ key, kind: 'network_halted', message: 'It is halted' }]);
  return key;
};

/** Lets a sender work until the receiver has got so many requests. */
const received = async (count: number): Promise<Received[]> => {
  const sender = startSender(knex, masterKey);
  try {
    await eventually(() => receiver.received.length >= count);
    const pending = () => knex('webhook_deliveries').where({ webhook_id: operatorWebhookId, state: 'pending' });
    await eventually(async () => (await pending()).length === 0);
  } finally {
    await sender.stop();
  }
  return receiver.received;
};

it('is told of an alert and of its end, signed, as openapi.yaml says', async () => {
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

it('may know by the signature alone; another secret takes over with the old one beside it', async () => {
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

it('is told nothing once it is gone, and again when it is back', async () => {
  await store(urlOf(), newSecret());
  await raise();
  await store('', '');
  await raise();
  const states = () => knex('webhook_deliveries').where({ webhook_id: operatorWebhookId }).orderBy('id').pluck('state');
  const count = (await states()).length;
  expect((await states()).at(-1)).toBe('canceled');
  expect(await knex('webhook_configurations').where({ id: operatorWebhookId }).first()).toMatchObject({
    ...{ sealed_credentials: null, sealed_signing_secret: null },
  });
  await store(urlOf(), newSecret());
  await raise();
  expect(await received(1)).toHaveLength(1);
  expect(await states()).toHaveLength(count + 1);
});

it.each([
  ['http://10.0.0.1/alerts', newSecret(), 'CARAT_ALERT_WEBHOOK must'],
  ['https://alerts.example/', '', 'CARAT_ALERT_WEBHOOK_SECRET is missing'],
])('refuses %s', async (url, secret, problem) => {
  await expect(store(url, secret)).rejects.toThrow(problem);
});

it('a worker does not start with another master key than webhooks were stored with', async () => {
  await createWebhookRow(knex, world, receiver.origin);
  await assertMasterKey({ knex, masterKey: new Uint8Array(32).fill(5) });
  await expect(assertMasterKey({ knex, masterKey })).rejects.toThrow('The master key does not open webhook');
});
