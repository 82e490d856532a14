import { Registry } from 'prom-client';
import { createFigures } from '../../db/figures/figures.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { figureSources, MAX_LANES } from '../../metrics/figures.ts';
import { eventually } from '../support/eventually.ts';
import { scrape, scrapeWith, valueOf, type Series } from '../support/metrics.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/* Figures of the whole database, as an api and a worker show them. */

let product: Product;
let shop: Shop;
let proxy: TcpProxy;
let api: number;
let worker: number;

beforeAll(async () => {
  [api = 0, worker = 0] = await freePorts(2);
  [product, proxy] = await Promise.all([
    createProduct({ environment: { CARAT_METRICS_PORT: String(api) } }),
    createTcpProxy(),
  ]);
  await product.startApi();
  shop = await openShop(product);
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await proxy?.close();
});

const names = (all: readonly Series[]): string[] => [...new Set(all.map(({ name }) => name))].toSorted();
/** Names of the series that a process reads from the database. It counts other series itself. */
const figuresOf = (all: readonly Series[]): string[] => {
  const register = new Registry();
  figureSources(register, createFigures(product.dev.database));
  const figures = register.getMetricsAsArray().map(({ name }) => name);
  return names(all).filter((name) => figures.includes(name));
};

it('show on an api without workers the waiting payments, and since when they wait', async () => {
  const payment = await shop.create('alpha');
  const pending = { network: 'alpha', method: 'web3', status: 'pending' };
  const all = await scrapeWith(
    api,
    (now) => valueOf(now, 'carat_payments_oldest_seconds', { ...pending, detail: 'diamond_missing' })! > 0.2,
  );
  expect(valueOf(all, 'carat_payments_open', { ...pending, detail: 'diamond_missing' })).toBe(1);
  expect(valueOf(all, 'carat_payments_open', { ...pending, detail: '' })).toBe(0);
  expect(valueOf(all, 'carat_payments_open', { ...pending, status: 'processing' })).toBe(0);
  expect(valueOf(all, 'carat_processes', { kind: 'worker' })).toBe(0);
  expect(valueOf(all, 'carat_processes', { kind: 'api' })).toBe(1);
  expect(valueOf(all, 'carat_network_endpoints', { network: 'alpha' })).toBe(1);
  expect(valueOf(all, 'carat_lanes', { network: 'alpha', role: 'operator', state: 'active' })).toBeGreaterThan(0);
  expect(valueOf(all, 'carat_lanes', { network: 'alpha', role: 'operator', state: 'paused' })).toBe(0);
  expect(all.filter(({ labels }) => Object.values(labels).includes(payment.id))).toEqual([]);
  const up = all.filter(({ name }) => name === 'carat_collect_up');
  expect(up.map(({ labels, value }) => [labels.source, value])).toEqual(
    ['processes', 'missing', 'alerts', 'ages', 'networks', 'payments', 'lanes', 'outbox', 'webhooks'].map((source) => [
      source,
      1,
    ]),
  );
});

it('show the same on each process once a payment is paid', async () => {
  const began = performance.now();
  await product.startWorker({
    CARAT_METRICS_PORT: String(worker),
    CARAT_DATABASE_URL: proxy.through(product.dev.database),
  });
  await shop.deployed('alpha');
  const payment = await shop.create('alpha');
  await shop.pay('alpha', payment);
  await shop.reached(payment, 'completed');
  const [one, other] = await Promise.all(
    [api, worker].map((port) =>
      scrapeWith(
        port,
        (all) =>
          valueOf(all, 'carat_outbox_depth', { topic: 'payment_signal' }) === 0 &&
          // Figures of before the worker came may be shown still.
          valueOf(all, 'carat_processes', { kind: 'worker' }) === 1 &&
          valueOf(all, 'carat_watcher_block', { network: 'alpha', state: 'confirmed' })! > 0,
      ),
    ),
  );
  // The worker has come since, so its times are from then.
  const passed = (performance.now() - began) / 1_000;
  for (const all of [one!, other!]) {
    expect(valueOf(all, 'carat_watcher_lag_seconds', { network: 'alpha' })).toBeLessThan(passed);
    expect(valueOf(all, 'carat_network_halted', { network: 'alpha' })).toBe(0);
    expect(valueOf(all, 'carat_lanes_in_flight', { network: 'alpha', role: 'operator' })).toBe(0);
    expect(valueOf(all, 'carat_temporal_answer_age_seconds')).toBeLessThan(passed);
    expect(valueOf(all, 'carat_webhook_backlog', { attempt: 'first' })).toBe(0);
    expect(valueOf(all, 'carat_intent_age_seconds')).toBe(0);
  }
  expect(figuresOf(one!)).toEqual(figuresOf(other!));
});

it('have series for the lanes that need attention first, and sums for all', async () => {
  const { rows } = await product.knex.raw<{ rows: { id: string }[] }>(
    `INSERT INTO signer_accounts (network_id, address, role, status)
     SELECT n.id, '0x' || lpad(to_hex(g), 40, '0'), 'operator', CASE g WHEN 60 THEN 'paused' ELSE 'active' END
     FROM networks n, generate_series(1, 60) g WHERE n.name = 'alpha' RETURNING id`,
  );
  const paused = { network: 'alpha', role: 'operator', state: 'paused' };
  const all = await scrapeWith(api, (now) => valueOf(now, 'carat_lanes', paused) === 1);
  const lanes = all.filter(({ name }) => name === 'carat_lane_queued');
  expect(rows.length).toBeGreaterThan(MAX_LANES);
  expect(lanes).toHaveLength(MAX_LANES);
  const [first] = all.filter(({ name, value }) => name === 'carat_lane_paused' && value === 1);
  expect(first?.labels.lane).toBe(`0x${'3c'.padStart(40, '0')}`);
  expect(valueOf(all, 'carat_lanes', { ...paused, state: 'active' })).toBeGreaterThanOrEqual(59);
});

it("are missing while the database hangs, and say so; no scrape waits for it, and the process's own figures are still shown", async () => {
  proxy.freeze();
  let longestMs = 0;
  const all = await eventually(async () => {
    const began = performance.now();
    const now = await scrape(worker);
    longestMs = Math.max(longestMs, performance.now() - began);
    return valueOf(now, 'carat_collect_up', { source: 'payments' }) === 0 ? now : undefined;
  }, 45_000);
  // Ten times the patience of a scrape. A frozen connection is given up after 35 seconds.
  expect(longestMs).toBeLessThan(20_000);
  expect(figuresOf(all)).toEqual([]);
  expect(valueOf(all, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  proxy.cut();
  proxy.mend();
  const back = await scrapeWith(worker, (now) => valueOf(now, 'carat_collect_up', { source: 'webhooks' }) === 1);
  expect(figuresOf(back).length).toBeGreaterThan(10);
});
