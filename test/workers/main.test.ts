import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { freePorts } from '../../tools/process/ports.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { root } from '../../tools/paths.ts';
import { startTemporal, type Temporal } from '../../tools/stack/temporal.ts';
import { LEVEL } from '../../db/level.ts';
import { migrateSteps, migrations, type Migration } from '../../db/migrate.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { recordsOf, testStack } from '../support/stack.ts';

let port: number;
let product: Product;
let server: Temporal | undefined;
let client: Client;

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  product = await createProduct({ temporalAddress: `127.0.0.1:${port}` });
  client = createTemporalClient({ address: `127.0.0.1:${port}`, namespace: 'default' });
});

afterAll(async () => {
  await product.stop();
  await client.connection.close();
  await server?.stop();
});

const startServer = async (): Promise<void> => {
  const { dir } = testStack();
  server = await startTemporal({
    port,
    logFile: path.join(dir, 'logs', `worker-${port}.log`),
    onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
  });
};

interface LogLine {
  level: string;
  message: string;
  reason?: string;
}

/** The log lines of the product's workers, as objects. Other products of this run have folders beside it. */
const logged = (): LogLine[] => {
  const { dir } = testStack();
  const folder = fs
    .readdirSync(dir)
    .filter((name) => name.startsWith('product-') && fs.existsSync(path.join(dir, name, 'catalogue.yaml')))
    .find((name) => {
      const catalogue = fs.readFileSync(path.join(dir, name, 'catalogue.yaml'), 'utf8');
      return catalogue.includes(`${product.chains.alpha!.url}\n`);
    });
  const file = path.join(dir, folder!, 'logs', 'worker.log');
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as LogLine);
};

const isRunning = async (workflowId: string): Promise<boolean> =>
  (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';

it('a worker waits for its Temporal, starts lanes and watchers, and ends in order on SIGTERM', async () => {
  const starting = product.startWorker();
  await eventually(() => logged().some(({ message }) => message.includes('Connecting to Temporal failed')), 30_000);
  await startServer();
  const worker = await starting;

  const accounts = (await product
    .knex('signer_accounts')
    .whereNot({ role: 'signer' })
    .select('address', 'network_id')) as {
    address: string;
    network_id: string;
  }[];
  expect(accounts).toHaveLength(2);
  for (const account of accounts) {
    await eventually(() => isRunning(workflowIds.lane(account.network_id, account.address)));
    await eventually(() => isRunning(workflowIds.watchNetwork(account.network_id)));
  }

  // Each line says why, and a healthy start warns of nothing else.
  const warnings = logged().filter(({ level }) => level !== 'info');
  for (const warning of warnings) {
    expect(warning).toMatchObject({
      message: expect.stringMatching(/failed, trying again$/),
      reason: expect.any(String),
    });
    expect(warning.reason).not.toBe('Failed to start Workflow');
  }

  await worker.stop();
  expect(await worker.exited).toBe(0);
  expect(logged().at(-1)).toMatchObject({ level: 'info', message: 'The worker has stopped' });
});

it('a worker refuses a database whose floor is above its level', async () => {
  await product.knex('floor').update({ level: LEVEL + 1 });
  try {
    await expect(product.startWorker()).rejects.toThrow();
    expect(logged().at(-1)).toMatchObject({
      level: 'error',
      message: 'The worker failed',
      reason: expect.stringContaining(`floor ${LEVEL + 1}; this version has level ${LEVEL}`),
    });
  } finally {
    await product.knex('floor').update({ level: LEVEL });
  }
});

it('a worker without its configuration names everything missing at once, and fails', async () => {
  const outcome = await new Promise<{ code: unknown; out: string }>((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, 'workers', 'main.ts')],
      { cwd: root, env: { PATH: process.env.PATH } },
      (error, out) => resolve({ code: error?.code, out }),
    );
  });
  expect(outcome.code).toBe(1);
  expect(outcome.out).toContain('CARAT_DATABASE_URL');
  expect(outcome.out).toContain('CARAT_KEYSTORE_PASSPHRASE');
});

const tooNew = `floor ${LEVEL + 1}; this version has level ${LEVEL}`;
const contraction: Migration = {
  name: '9998-contraction',
  effect: { kind: 'contract', locks: [], level: LEVEL + 1 },
  up: (knex) => knex.raw('SELECT 1'),
};

it('api and worker end when a newer version raises the floor above them', async () => {
  const [api, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  // As a contract step does it; the chores of a worker lower the level alone again.
  await product.knex('floor').update({ level: LEVEL + 1, lowest: LEVEL + 1 });
  try {
    expect(await Promise.all([api.exited, worker.exited])).toEqual([1, 1]);
    expect(logged().at(-1)).toMatchObject({
      level: 'error',
      message: 'The worker must end',
      reason: expect.stringContaining(tooNew),
    });
  } finally {
    await product.knex('floor').update({ level: LEVEL, lowest: 1 });
  }
});

it('a worker that waits for its Temporal while a contract step is applied does not run afterwards', async () => {
  await server!.stop();
  const failures = () => logged().filter(({ message }) => message.includes('Connecting to Temporal failed')).length;
  const before = failures();
  const starting = product.startWorker();
  starting.catch(() => undefined);
  await eventually(() => failures() > before, 30_000);
  const { applied } = await migrateSteps(product.dev.database, [...migrations, contraction]);
  expect(applied).toEqual([contraction.name]);
  await startServer();
  await expect(starting).rejects.toThrow();
  expect(logged().at(-1)).toMatchObject({
    level: 'error',
    message: 'The worker failed',
    reason: expect.stringContaining(tooNew),
  });
});
