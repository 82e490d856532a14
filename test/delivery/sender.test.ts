import knexFactory, { type Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { transition } from '../../db/payments/transition.ts';
import { createDeliveryStore } from '../../db/webhooks/delivery-store.ts';
import { createAgents, type Agents } from '../../delivery/agent.ts';
import { createAttempt } from '../../delivery/attempt.ts';
import type { FlightDeps } from '../../delivery/flight.ts';
import { createSender } from '../../delivery/sender.ts';
import { createTestDatabase } from '../support/database.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { createWebhookRow, testEncryption } from '../support/webhooks.ts';

let knex: Knex;
let world: World;
let agents: Agents;
let receiver: Receiver;
let deps: FlightDeps;

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url });
  agents = createAgents({ hosts: 'loopback' });
  deps = {
    store: createDeliveryStore(knex),
    attempt: createAttempt({ agents, encryption: testEncryption, profile: 'test' }),
    checksum,
    underWay: new Set(),
    log: quiet,
  };
});

afterAll(async () => {
  agents.close();
  await knex.destroy();
});

beforeEach(async () => {
  world = await createWorld(knex);
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

/** Runs the sender until the condition holds. */
const sendUntil = async (done: () => boolean | Promise<boolean>): Promise<void> => {
  const stop = new AbortController();
  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, 50));
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  const running = createSender({ ...deps, tidyMs: 100 })({
    signal: stop.signal,
    heartbeat: () => {},
    deadlineMs: Date.now() + 60_000,
    notified: { wait },
  });
  try {
    await eventually(async () => done());
  } finally {
    stop.abort();
    await running;
  }
};

const expire = (id: string): Promise<string[]> =>
  knex.transaction((trx) =>
    transition(trx, { name: 'payment_expired', where: 'p.id = :id', bindings: { id }, actor: { type: 'chain' } }),
  );

it('brings an event to its receiver and records it', async () => {
  const webhookId = await createWebhookRow(knex, world, receiver.origin);
  const payment = await createPaymentRow(knex, world);
  await expire(payment.id);
  await sendUntil(
    async () => (await knex('webhook_deliveries').where({ webhook_id: webhookId, state: 'delivered' })).length > 0,
  );
  const [got] = receiver.received;
  expect(got?.path).toBe('/unpaid');
  expect(readEvent(got!.body)).toMatchObject({
    type: 'payment.expired',
    api_version: 'v1',
    sequence: 2,
    data: { payment: { id: payment.id, status: 'expired', price: 1.5, price_units: '1500000' } },
  });
});
