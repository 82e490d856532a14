import fs from 'node:fs';
import path from 'node:path';
import { serveMetrics } from '../../metrics/server.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { isWorkerPolling } from '../../workers/connect.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { eventually } from '../support/eventually.ts';
import { scrape, valueOf, type Series } from '../support/metrics.ts';
import { createProduct, type Product } from '../support/product.ts';

/* The metrics of an api and a worker as a scraper reads them. */

let product: Product;
let api: number;
let worker: number;

beforeAll(async () => {
  [api = 0, worker = 0] = await freePorts(2);
  product = await createProduct({ environment: { CARAT_METRICS_PORT: String(api) } });
  await Promise.all([product.startApi(), product.startWorker({ CARAT_METRICS_PORT: String(worker) })]);
});

afterAll(async () => {
  await product?.stop();
});

const call = (route: string, init?: RequestInit): Promise<Response> => fetch(`${product.dev.api}${route}`, init);

it('name the kind and version of each process, its processor time and its connections', async () => {
  const kinds = await Promise.all(
    [api, worker].map(async (port) => {
      const all = await scrape(port);
      expect(valueOf(all, 'process_cpu_seconds_total')).toBeGreaterThan(0);
      expect(valueOf(all, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
      expect(valueOf(all, 'carat_database_connections', { state: 'used' })).toBeGreaterThanOrEqual(0);
      expect(valueOf(all, 'carat_database_connections_max')).toBe(10);
      // A process that starts may have many statements at the same time.
      expect(await eventually(async () => valueOf(await scrape(port), 'carat_database_waiting') === 0)).toBe(true);
      return all.find(({ name }) => name === 'carat_info')?.labels;
    }),
  );
  expect(kinds).toEqual([
    { process: 'api', version: '0.1.0' },
    { process: 'worker', version: '0.1.0' },
  ]);
});

it('count requests by operation and status, and measure their time by operation', async () => {
  const count = (all: readonly Series[], operation: string, status: string): number =>
    valueOf(all, 'carat_requests_total', { operation, status }) ?? 0;
  const before = await scrape(api);
  const began = performance.now();
  await call('/healthz');
  await call('/api/v1/payments/secret-name-of-a-payment');
  await call('/no/such/path?of=a-payment');
  const after = await eventually(async () => {
    const all = await scrape(api);
    return count(all, 'none', '404') > count(before, 'none', '404') ? all : undefined;
  });
  expect(count(after, 'getHealth', '200')).toBe(count(before, 'getHealth', '200') + 1);
  expect(count(after, 'getPayment', '401')).toBe(1);
  expect(valueOf(after, 'carat_request_duration_seconds_count', { operation: 'getPayment' })).toBe(1);
  expect(valueOf(after, 'carat_request_duration_seconds_bucket', { operation: 'getPayment', le: '+Inf' })).toBe(1);
  // Less than has passed here since.
  const passed = (performance.now() - began) / 1_000;
  expect(valueOf(after, 'carat_request_duration_seconds_sum', { operation: 'getPayment' })).toBeLessThan(passed);
  expect(valueOf(after, 'carat_event_streams_open')).toBe(0);
  expect(JSON.stringify(after)).not.toMatch(/a-payment/);
  expect(fs.readFileSync(path.join(product.logs, 'api.log'), 'utf8')).not.toMatch(/a-payment/);
});

it("are all that their port serves, and the api's port does not serve them", async () => {
  const at = (route: string, method = 'GET') => fetch(`http://127.0.0.1:${api}${route}`, { method });
  const answers = [at('/'), at('/metrics/'), at('/api/v1/payments'), at('/metrics', 'POST'), at('/metrics?x=1')];
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 404, 405, 200]);
  expect((await call('/metrics')).status).toBe(404);
  expect((await at('/healthz')).status).toBe(404);
});

it('are not served by an api that still waits for its database, so that it is not taken for one that answers', async () => {
  const [port = 0, own = 0] = await freePorts(2);
  const scraped = () => fetch(`http://127.0.0.1:${port}/metrics`).then(({ status }) => status);
  const held = await product.knex.transaction();
  await held.raw('LOCK TABLE floor IN ACCESS EXCLUSIVE MODE');
  const starting = product.startApi(own, undefined, { CARAT_METRICS_PORT: String(port) });
  try {
    expect(await eventually(scraped, 30_000)).toBe(503);
  } finally {
    await held.rollback();
  }
  const running = await starting;
  expect(await eventually(async () => (await scraped()) === 200)).toBe(true);
  await running.stop();
});

it('stand beside the health of a worker, which is whether Temporal sees its polls', async () => {
  const [port = 0] = await freePorts(1);
  const own = await product.startWorker({ CARAT_METRICS_PORT: String(port) });
  const healthy = await fetch(`http://127.0.0.1:${port}/healthz?x=1`);
  expect([healthy.status, await healthy.text()]).toEqual([200, '']);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`, { method: 'POST' })).status).toBe(405);
  await own.stop();
});

it("stand beside the health of a worker whose polls are another process's, or whose Temporal is silent", async () => {
  const { address, namespace } = product.dev.temporal;
  const client = createTemporalClient({ address, namespace });
  const { taskQueue } = product;
  expect(await isWorkerPolling(client, { taskQueue, isIt: () => false })).toBe(false);
  expect(await isWorkerPolling(client, { taskQueue: `${taskQueue}-nobody`, isIt: () => true })).toBe(false);
  const page = (isHealthy: () => Promise<boolean>) =>
    serveMetrics(
      { host: '127.0.0.1', port: 0 },
      { contentType: 'text/plain', render: async () => '', isHealthy, isStarted: () => true },
    );
  const nowhere = createTemporalClient({ address: '127.0.0.1:1', namespace });
  const silent = await page(() => isWorkerPolling(nowhere, { taskQueue, isIt: () => true }));
  const idle = await page(() => Promise.resolve(false));
  for (const { port } of [silent, idle]) expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(503);
  await Promise.all([silent.stop(), idle.stop(), client.connection.close(), nowhere.connection.close()]);
});

it('a process whose port is taken does not start, and says which variable to change', async () => {
  await expect(product.startWorker()).rejects.toThrow();
  const log = fs.readFileSync(path.join(product.logs, 'worker.log'), 'utf8');
  expect(log).toContain(`CARAT_METRICS_PORT: listen EADDRINUSE: address already in use 127.0.0.1:${api}`);
});
