import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { createCaratClient } from '../../client/client.ts';
import { freePorts } from '../../tools/process/ports.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { startTemporal, type Temporal } from '../../tools/stack/temporal.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { recordsOf, testStack } from '../support/stack.ts';

/*
 * A merchant's server hears of payments. Then it is down, and so are, one after the other, api, worker and Temporal: in the end
 * it has heard of everything.
 */

let product: Product;
let shop: Shop;
let temporal: Temporal;
let startAgain: () => Promise<Temporal>;
let worker: RunningProcess;
let api: RunningProcess;
let receiver: Receiver;
let secret: string;

beforeAll(async () => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  startAgain = () =>
    startTemporal({
      port,
      databaseFile: path.join(dir, `webhooks-temporal-${port}.db`),
      logFile: path.join(dir, 'logs', `webhooks-temporal-${port}.log`),
      onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
    });
  temporal = await startAgain();
  product = await createProduct({ temporalAddress: temporal.address });
  [api, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  receiver = await startReceiver();
  const { dev } = product;
  const carat = createCaratClient({ url: dev.api, apiKey: dev.admin.api_key, secret: dev.admin.secret });
  const webhook = await carat.createWebhook({
    wallet_id: shop.wallet.id,
    network_id: dev.networks.alpha!.id,
    host: receiver.origin,
    success_path: '/carat/paid',
    error_path: '/carat/unpaid',
    auth_type: 'basic',
    auth_basic_username: 'carat',
    auth_basic_password: 'pass word',
    events: ['payment.created', 'payment.ready', 'payment.processing'],
  });
  secret = webhook.signing_secret;
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await temporal?.stop();
  await receiver?.close();
});

// Answers over HTTP have no type.
// oxlint-disable-next-line typescript/no-explicit-any
const told = ({ id }: Payment): any[] => {
  const bodies = receiver.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.payment.id === id);
  return [...new Map(bodies.map((body) => [body.id, body])).values()].sort((a, b) => a.sequence - b.sequence);
};

it('a receiver gets each step of a payment, signed, and without personal data', async () => {
  const payment = await shop.create('alpha', {
    member: { external_id: randomUUID(), name: 'Ada', surname: 'Private' },
    success_url: 'https://shop.example/thanks',
    locale: 'de',
  });
  await shop.pay('alpha', payment);
  const completed = await shop.reached(payment, 'completed');
  await eventually(() => told(payment).length === 4);
  expect(told(payment).map(({ type, sequence }) => [type, sequence])).toEqual([
    ['payment.created', 1],
    ['payment.ready', 2],
    ['payment.processing', 3],
    ['payment.completed', 4],
  ]);
  const { access_token: _token, client_ip: _ip, member: _member, ...shown } = completed;
  expect(told(payment).at(-1)).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    type: 'payment.completed',
    api_version: 'v1',
    timestamp: completed.updated_at,
    sequence: 4,
    data: { payment: { ...shown, checkout_url: null } },
  });
  for (const { path: at, headers, body } of receiver.received) {
    expect(at).toBe('/carat/paid');
    expect(headers.authorization).toBe(`Basic ${Buffer.from('carat:pass word').toString('base64')}`);
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(readEvent(body));
    expect(headers['webhook-id']).toBe(JSON.parse(body).id);
    expect(body).not.toMatch(/Private|access_token|client_ip/);
  }
});

it('a receiver that is down while api, worker and Temporal are killed gets all events in the end', async () => {
  const { port } = new URL(receiver.origin);
  await receiver.close();
  const create = (): Promise<Payment[]> => Promise.all([1, 2, 3].map(() => shop.create('alpha')));
  const failures = async (): Promise<number> =>
    Number((await product.knex('webhook_deliveries').where('attempts', '>', 0).where({ state: 'pending' })).length);

  const payments = await create();
  await eventually(async () => (await failures()) >= 3, 30_000);
  process.kill(worker.pid, 'SIGKILL');
  payments.push(...(await create()));
  worker = await product.startWorker();
  process.kill(api.pid, 'SIGKILL');
  process.kill(temporal.pid!, 'SIGKILL');
  await temporal.exited;
  temporal = await startAgain();
  api = await product.startApi();
  payments.push(...(await create()));
  // One buyer, whose transactions follow each other.
  for (const payment of payments) await shop.pay('alpha', payment);
  await Promise.all(payments.map((payment) => shop.reached(payment, 'completed')));

  receiver = await startReceiver({ port: Number(port) });
  await eventually(() => payments.every((payment) => told(payment).length === 4), 60_000);
  for (const payment of payments) expect(told(payment).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  const bytes = new Map<string, Set<string>>();
  for (const { headers, body } of receiver.received) {
    const id = String(headers['webhook-id']);
    bytes.set(id, (bytes.get(id) ?? new Set()).add(body));
  }
  expect([...bytes.values()].every((bodies) => bodies.size === 1)).toBe(true);
  await eventually(
    async () => (await product.knex('webhook_deliveries').whereNot({ state: 'delivered' })).length === 0,
  );
});
