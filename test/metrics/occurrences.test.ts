import fs from 'node:fs';
import path from 'node:path';
import { freePorts } from '../../tools/process/ports.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { eventually } from '../support/eventually.ts';
import { scrape, scrapeWith, valueOf, type Series } from '../support/metrics.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/* The counts of an api and a worker while payments of both deal modes are paid, and while the chain has trouble. */

const network = 'alpha';
let product: Product;
let shop: Shop;
let api: number;
let worker: number;

beforeAll(async () => {
  [api = 0, worker = 0] = await freePorts(2);
  product = await createProduct({ environment: { CARAT_METRICS_PORT: String(api) } });
  await Promise.all([product.startApi(), product.startWorker({ CARAT_METRICS_PORT: String(worker) })]);
  shop = await openShop(product);
  await shop.deployed(network);
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

const sum = (all: readonly Series[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
  all
    .filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((total, { value }) => total + value, 0);

const pay = async (): Promise<void> => {
  const payment = await shop.create(network);
  await shop.pay(network, payment);
  await shop.reached(payment, 'completed');
};

it('count the life of a payment, its times, and what its lane pays', async () => {
  await pay();
  const event = 'payment_confirmed';
  const all = await scrapeWith(
    worker,
    (now) =>
      valueOf(now, 'carat_payment_transitions_total', { event }) === 1 &&
      // On a busy machine it may be further behind for a moment.
      valueOf(now, 'carat_watcher_blocks_behind', { network })! < 5,
  );
  expect(all.find(({ labels }) => labels.event === event)?.labels).toEqual({ network, event, status: 'completed' });
  expect(valueOf(all, 'carat_payment_payable_seconds_count', { network, mode: 'created' })).toBe(1);
  expect(valueOf(all, 'carat_payment_payable_seconds_sum', { network, mode: 'created' })).toBeGreaterThan(0);
  expect(valueOf(all, 'carat_payment_completed_seconds_count', { network })).toBe(1);
  const operator = { network, role: 'operator' };
  expect(sum(all, 'carat_lane_fees_coins_total', operator)).toBeGreaterThan(0);
  expect(sum(all, 'carat_lane_transactions_total', { ...operator, outcome: 'succeeded' })).toBeGreaterThan(0);
  expect(sum(all, 'carat_lane_balance_coins', operator)).toBeGreaterThan(1);
  expect(sum(all, 'carat_lane_transactions_left', operator)).toBeGreaterThan(20);
  expect(sum(all, 'carat_lane_nonce_gap', operator)).toBe(0);
  const created = await scrape(api);
  expect(valueOf(created, 'carat_payment_transitions_total', { network, event: 'payment_created' })).toBe(1);
});

it('have log lines beside them that name the payment, and its requests', async () => {
  const payment = await shop.create(network);
  await shop.pay(network, payment);
  await shop.reached(payment, 'completed');
  const linesOf = (name: string): Record<string, unknown>[] =>
    fs
      .readFileSync(path.join(product.logs, `${name}.log`), 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"payment_id":"${payment.id}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await eventually(() => linesOf('worker').some(({ event }) => event === 'payment_confirmed'));
  const events = [...linesOf('api'), ...linesOf('worker')].flatMap(({ event }) => event ?? []);
  expect(events).toEqual(['payment_created', 'deal_confirmed', 'payment_detected', 'payment_confirmed']);
  const requests = linesOf('api').filter(({ message }) => message === 'request');
  expect([...new Set(requests.map(({ operation }) => String(operation)))].toSorted()).toEqual([
    'createPayment',
    'getPayment',
    'getWidgetPayment',
  ]);
  expect(requests.filter((request) => typeof request.request_id !== 'string')).toEqual([]);
});

it('count offers that are signed and revealed', async () => {
  await eventually(
    async () => {
      await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks[network]!.id);
      return true;
    },
    45_000,
    250,
  );
  await pay();
  const all = await scrapeWith(
    worker,
    (now) => (valueOf(now, 'carat_payment_payable_seconds_count', { network, mode: 'offered' }) ?? 0) === 1,
  );
  expect(valueOf(all, 'carat_offers_signed_total', { network })).toBeGreaterThan(0);
  expect(valueOf(await scrape(api), 'carat_offers_revealed_total')).toBe(1);
});

it('count reorganisations and demoted endpoints', async () => {
  const isSeen = async () => (valueOf(await scrape(worker), 'carat_reorganisations_total', { network }) ?? 0) > 0;
  // A watcher may not have read the block that is removed.
  await eventually(
    async () => {
      await rpc(product.chains[network]!.url, 'anvil_reorg', [2, []]);
      return eventually(isSeen, 300, 200);
    },
    45_000,
    1_000,
  );
  expect(valueOf(await scrape(worker), 'carat_reorganised_blocks_total', { network })).toBeGreaterThan(0);
  await product
    .knex('networks')
    .where({ name: network })
    .update({ rpc_urls: ['http://127.0.0.1:1', product.chains[network]!.url] });
  await product.knex.raw("SELECT pg_notify('carat_catalogue', '')");
  const all = await scrapeWith(worker, (now) => sum(now, 'carat_endpoint_demoted', { network, endpoint: '1' }) === 1);
  expect(sum(all, 'carat_endpoint_demotions_total', { network, endpoint: '1', lie: 'false' })).toBeGreaterThan(0);
  expect(JSON.stringify(all)).not.toContain('127.0.0.1:1');
});

it('are followed by the metrics of the Temporal SDK in a worker', async () => {
  const isThere = (now: Parameters<typeof sum>[0]): boolean =>
    valueOf(now, 'carat_collect_up', { source: 'temporal_sdk' }) === 1 &&
    sum(now, 'temporal_workflow_completed_total') > 0;
  const all = await scrapeWith(worker, isThere);
  expect(sum(all, 'temporal_workflow_task_execution_latency_seconds_count')).toBeGreaterThan(0);
  expect(sum(all, 'temporal_activity_execution_latency_seconds_count')).toBeGreaterThan(0);
  expect(sum(all, 'temporal_workflow_completed_total')).toBeGreaterThan(0);
  expect((await scrape(api)).filter(({ name }) => name.startsWith('temporal'))).toEqual([]);
});
