import path from 'node:path';
import { createCaratClient } from '../../client/client.ts';
import { freePorts } from '../../tools/process/ports.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { startTemporal, type Temporal } from '../../tools/stack/temporal.ts';
import type { ConditionKind } from '../../domain/alerts/condition.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { ok, startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { recordsOf, testStack } from '../support/stack.ts';
import { newSecret } from '../support/webhooks.ts';

/*
 * Workers and Temporal go away as processes do, beside two apis; the operator's webhook is a server of its own.
 */

/** Within which an operator hears of it, in milliseconds. */
const TOLD_MS = 60_000;

let receiver: Receiver;
let product: Product;
let temporal: Temporal;
let startAgain: () => Promise<Temporal>;
let worker: RunningProcess;
let apis: RunningProcess[];
let ports: number[];

beforeAll(async () => {
  const { dir } = testStack();
  const [temporalPort = 0, ...others] = await freePorts(3);
  ports = others;
  startAgain = () =>
    startTemporal({
      port: temporalPort,
      databaseFile: path.join(dir, `silence-temporal-${temporalPort}.db`),
      logFile: path.join(dir, 'logs', `silence-temporal-${temporalPort}.log`),
      onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
    });
  [temporal, receiver] = await Promise.all([startAgain(), startReceiver()]);
  product = await createProduct({
    temporalAddress: temporal.address,
    environment: {
      CARAT_ALERT_WEBHOOK: `${receiver.origin}/alerts`,
      CARAT_ALERT_WEBHOOK_SECRET: newSecret(),
      CARAT_SILENCE_SECONDS: '10',
      CARAT_ALIVE_SECONDS: '3',
    },
  });
  worker = await product.startWorker();
  apis = await startApis();
});

afterAll(async () => {
  await product?.stop();
  await temporal?.stop();
  await receiver?.close();
});

const startApis = (): Promise<RunningProcess[]> => Promise.all(ports.map((port) => product.startApi(port)));

/** Ends a process without a word. */
const kill = async ({ pid, exited }: RunningProcess): Promise<void> => {
  process.kill(pid, 'SIGKILL');
  await exited;
};

const isOf = (kind: ConditionKind) => (request: Received) => request.body.includes(`"kind":"${kind}"`);

/** The alerts of a kind that the operator got, in order. */
const told = (kind: ConditionKind): string[] =>
  receiver.received
    .filter(isOf(kind))
    .map(({ body }) => readEvent(body))
    .toSorted((a, b) => a.timestamp.localeCompare(b.timestamp))
    .map(({ type }) => type);

const isTold = (kind: ConditionKind, ...types: string[]) =>
  eventually(
    () => {
      const now = told(kind);
      if (now.length >= types.length) return true;
      throw new Error(`${kind}: ${now.join()}`);
    },
    TOLD_MS,
    100,
  );

const client = () =>
  createCaratClient({
    url: `http://127.0.0.1:${ports[0]}`,
    apiKey: product.dev.admin.api_key,
    secret: product.dev.admin.secret,
  });

it('an operator gets one alert when Temporal does not answer and one when it does again, while payments can be posted', async () => {
  await eventually(async () => (await client().getStatus()).status === 'ok', 30_000, 250);
  await temporal.stop();
  await isTold('temporal_unreachable', 'alert.raised');
  expect(await client().getStatus()).toMatchObject({ workers: { status: 'ok' }, temporal: { status: 'down' } });
  expect((await fetch(`http://127.0.0.1:${ports[0]}/readyz`)).status).toBe(200);
  temporal = await startAgain();
  await isTold('temporal_unreachable', 'alert.raised', 'alert.closed');
  expect(told('temporal_unreachable')).toEqual(['alert.raised', 'alert.closed']);
  expect(told('workers_gone')).toEqual([]);
});

it('an operator gets an alert that the only worker was killed, with the same bytes if the api is killed while sending it, and one when a worker is back', async () => {
  const hung: Received[] = [];
  receiver.answer((request, response, socket) => {
    if (hung.length > 0 || !isOf('workers_gone')(request)) return ok(request, response, socket);
    hung.push(request);
  });
  await kill(worker);
  await eventually(() => hung.length > 0, TOLD_MS, 100);
  await Promise.all(apis.map(kill));
  expect(await product.knex('alerts').where({ kind: 'workers_gone' })).toMatchObject([{ closed_at: null }]);
  apis = await startApis();
  await isTold('workers_gone', 'alert.raised', 'alert.raised');
  expect(await client().getStatus()).toMatchObject({ status: 'down', workers: { status: 'down' } });
  worker = await product.startWorker();
  await isTold('workers_gone', 'alert.raised', 'alert.raised', 'alert.closed');
  const requests = receiver.received.filter(isOf('workers_gone'));
  expect(new Set(requests.map(({ body }) => body)).size).toBe(2);
  expect(told('workers_gone')).toEqual(['alert.raised', 'alert.raised', 'alert.closed']);
  // The merchant has the request a moment before the sender records it.
  await eventually(async () => {
    const deliveries = await product
      .knex('webhook_deliveries AS d')
      .join('webhook_events AS e', 'e.id', 'd.event_id')
      .whereRaw("e.body LIKE '%workers_gone%'");
    return deliveries.length === 2 && deliveries.every(({ state }) => state === 'delivered');
  }, TOLD_MS);
});

it('a sign of life is sent once in the interval, from all processes together', async () => {
  const signs = () => receiver.received.map(({ body }) => readEvent(body)).filter(({ type }) => type === 'carat.alive');
  const before = signs().length;
  await eventually(() => signs().length >= before + 3, 30_000, 100);
  const times = [...new Map(signs().map(({ id, timestamp }) => [id, Date.parse(timestamp)])).values()].toSorted(
    (a, b) => a - b,
  );
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_990);
});
