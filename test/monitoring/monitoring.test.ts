import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { prometheusBinary } from '../support/prometheus-program.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { localhostTls } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { alertRules, monitoringFolder, startTestPrometheus, type TestPrometheus } from '../support/prometheus.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { openShop, type Shop } from '../support/shop.ts';

/* The rules and dashboards of install/monitoring/ on a real Prometheus that scrapes an api and a worker. */

const run = promisify(execFile);
const folder = monitoringFolder;
const network = 'alpha';

interface Dashboard {
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const rules = alertRules();
const boards = path.join(folder, 'grafana/dashboards');
const dashboards = fs
  .readdirSync(boards)
  .map((file) => JSON.parse(fs.readFileSync(path.join(boards, file), 'utf8')) as Dashboard);
const panels = dashboards.flatMap(({ title, panels: own }) =>
  own.flatMap((panel) => panel.targets.map(({ expr }) => [`${title}: ${panel.title}`, expr] as const)),
);

/** As Grafana fills in its variables. */
const filledIn = (expr: string): string =>
  expr.replaceAll('$network', network).replaceAll('$installation', '.*').replaceAll('$__rate_interval', '15s');

/** Series that a healthy Temporal SDK does not have yet. */
const onlyInTrouble = new Set(['temporal_workflow_task_execution_failed_total']);

let receiver: Receiver;
let product: Product;
let shop: Shop;
let worker: RunningProcess;
let prometheus: TestPrometheus;
let proxy: Proxy;

beforeAll(async () => {
  const [api = 0, workers = 0] = await freePorts(2);
  receiver = await startReceiver({ tls: localhostTls });
  product = await createProduct({
    environment: {
      CARAT_METRICS_PORT: String(api),
      // So that a certificate has a series.
      CARAT_PUBLIC_URL: receiver.origin,
    },
  });
  [worker] = await Promise.all([product.startWorker({ CARAT_METRICS_PORT: String(workers) }), product.startApi()]);
  prometheus = await startTestPrometheus({ ports: { 'carat-api': [api], 'carat-worker': [workers] }, interval: '1s' });
  // Of a second provider, so that clocks can be compared.
  proxy = await startProxy(product.chains[network]!.url);
  shop = await openShop(product);
  await shop.deployed(network);
});

afterAll(async () => {
  shop?.close();
  await prometheus?.stop();
  await product?.stop();
  await receiver?.close();
  await proxy?.close();
});

const ask: TestPrometheus['ask'] = (...of) => prometheus.ask(...of);
const query = (expr: string): Promise<readonly unknown[]> => prometheus.query(filledIn(expr));

const pay = async (): Promise<void> => {
  const payment = await shop.create(network);
  await shop.pay(network, payment);
  await shop.reached(payment, 'completed');
};

it('promtool accepts the configuration and the rules, and its tests of each rule pass', async () => {
  const promtool = await prometheusBinary('promtool');
  await run(promtool, ['check', 'config', path.join(folder, 'prometheus.yml')]);
  const { stdout } = await run(promtool, ['test', 'rules', path.join(folder, 'rules.test.yml')]);
  expect(stdout).toContain('SUCCESS');
  const tests = fs.readFileSync(path.join(folder, 'rules.test.yml'), 'utf8');
  expect(rules.filter(({ alert }) => !tests.includes(`name: ${alert}\n`))).toEqual([]);
});

it.each(dashboards)('the dashboard $title defines each variable of its queries', ({ templating, panels: own }) => {
  const used = own.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/(?<=\$)(?!__)\w+/g) ?? []));
  expect(templating.list.map(({ name }) => name).toSorted()).toEqual([...new Set(used)].toSorted());
});

it('no rule fires while payments are paid, and Prometheus can evaluate each', async () => {
  await shop.merchant.createWebhook(shop.wallet.id, product.dev.networks[network]!.id, 'http://127.0.0.1:1');
  await pay();
  await eventually(
    () => shop.merchant.offerDeals(shop.wallet.id, product.dev.networks[network]!.id).then(() => true),
    45_000,
    250,
  );
  await pay();
  const found = await eventually(async () => {
    const { groups } = (await ask('rules')) as {
      groups: { rules: { name: string; health: string; state: string }[] }[];
    };
    const all = groups.flatMap((group) => group.rules);
    return all.length > 0 && all.every(({ health }) => health !== 'unknown') ? all : undefined;
  });
  expect(found.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert));
  expect(found.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([]);
});

it('each query of a panel has results, and each series of panels and rules exists', async () => {
  await product
    .knex('networks')
    .where({ name: network })
    .update({ rpc_urls: ['http://127.0.0.1:1', product.chains[network]!.url, proxy.url] });
  await product.knex.raw("SELECT pg_notify('carat_catalogue', '')");
  await eventually(async () => (await query('carat_endpoint_demoted')).length > 0, 45_000);
  await eventually(async () => (await query('carat_alerts_open')).length > 0, 45_000);
  await eventually(async () => (await query('carat_clock_ahead_of_outside_seconds')).length > 0, 45_000);
  for (const [title, expr] of panels) {
    const results = await eventually(() => query(expr).then((all) => (all.length > 0 ? all : undefined)), 30_000).catch(
      (error: unknown) => `${String(error)}`,
    );
    expect([title, expr, results]).toEqual([title, expr, expect.any(Array)]);
  }
  const names = new Set((await ask('label/__name__/values')) as string[]);
  const wanted = [...panels.map(([, expr]) => expr), ...rules.map(({ expr }) => expr)].flatMap(
    (expr) => expr.match(/\b(?:up|(?:carat|temporal|process|nodejs)_\w+)\b(?=[{[)\s]|$)/g) ?? [],
  );
  expect(new Set(wanted).size).toBeGreaterThan(30);
  expect([...new Set(wanted)].filter((name) => !names.has(name) && !onlyInTrouble.has(name))).toEqual([]);
});

it('docs/operations/monitoring.md explains every metric of Carat and every rule, and no others', async () => {
  const text = fs.readFileSync(path.join(root, 'docs/operations/monitoring.md'), 'utf8');
  const names = ((await ask('label/__name__/values')) as string[])
    .filter((name) => name.startsWith('carat_'))
    .map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
  const inTables = text
    .split('\n')
    .filter((line) => line.startsWith('| `carat_'))
    .flatMap((line) => line.split('|')[1]!.match(/carat_\w+/g) ?? []);
  expect(inTables.toSorted()).toEqual([...new Set(names)].toSorted());
  const told = [...text.matchAll(/^\| `(Carat\w+)`/gm)].map(([, name = '']) => name);
  expect(told.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});

it('the rule of missing workers fires when the only worker is killed', async () => {
  process.kill(worker.pid, 'SIGKILL');
  await eventually(async () => (await prometheus.firing()).includes('CaratNoWorker'), 60_000);
});
