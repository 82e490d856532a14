import path from 'node:path';
import type { Client } from '@temporalio/client';
import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { createOutboxStore } from '../../db/outbox/outbox.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import type { OutboxStore } from '../../db/outbox/outbox.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { startTemporal, type Temporal } from '../../tools/stack/temporal.ts';
import { createDispatcher, type Dispatcher } from '../../outbox/dispatcher.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { recordsOf, testStack } from '../support/stack.ts';
import { silent } from '../support/workflow-worker.ts';

/** A server of its own, which can be stopped, frozen and started again with its data. */
let port: number;
let server: Temporal | null = null;
let knex: Knex;
let client: Client;
let world: World;
let dispatcher: Dispatcher;

const startServer = async (): Promise<void> => {
  const { dir } = testStack();
  server = await startTemporal({
    port,
    databaseFile: path.join(dir, `outage-${port}.db`),
    logFile: path.join(dir, 'logs', `outage-${port}.log`),
    onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
  });
};

/** The pauses that failed rows were given since the last outage began. */
const pauses: number[] = [];

const newDispatcher = (): Dispatcher => {
  const store = createOutboxStore(knex);
  const outbox: OutboxStore = {
    ...store,
    markFailed: (ids, reason, pauseMs) => {
      pauses.push(pauseMs);
      return store.markFailed(ids, reason, pauseMs);
    },
  };
  return createDispatcher({ outbox, client, taskQueue: 'outage', profile: 'test', log: silent });
};

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 10 });
  world = await createWorld(knex);
  // Nothing listens there yet.
  client = createTemporalClient({ address: `127.0.0.1:${port}`, namespace: 'default' });
  dispatcher = newDispatcher();
  dispatcher.start();
});

afterAll(async () => {
  await dispatcher.stop();
  await client.connection.close();
  await knex.destroy();
  await server?.stop();
});

/** Commits a payment and says so, as a request does, which waits for nothing. */
const accept = async (): Promise<void> => {
  await createPaymentRow(knex, world);
  expect(dispatcher.now(startGroup(world.networkId, 'web3'))).toBeUndefined();
};

const open = async (): Promise<number> => (await knex('outbox').whereNull('delivered_at')).length;

/** Waits until a delivery has failed, so that the breaker knows of the outage. */
const firstFailure = (): Promise<object> =>
  eventually(
    async () =>
      (await knex('outbox').whereNull('delivered_at').where('attempts', '>', 0).first()) as object | undefined,
  );

/** The breaker waits on behalf of all rows, so that each is due as soon as the server is back. */
const expectNoPauses = (): void => {
  expect(pauses.length).toBeGreaterThan(0);
  expect(pauses).toEqual(pauses.map(() => 0));
};

const backlogGone = async (): Promise<void> => {
  await eventually(async () => (await open()) === 0);
  pauses.length = 0;
};

const workflowCount = async (): Promise<number> => {
  let count = 0;
  for await (const { workflowId } of client.workflow.list()) count += workflowId.startsWith('payment/') ? 1 : 0;
  return count;
};

it('payments are accepted while Temporal has never been there, and their workflows start once it is', async () => {
  for (let i = 0; i < 5; i += 1) await accept();
  // The first ones fail, so that the breaker knows.
  await eventually(async () => (await knex('outbox').where('attempts', '>', 0).first()) as object | undefined);
  expect(await open()).toBe(5);
  // The reason of the failure: the client's own message names the call only.
  const failed = (await knex('outbox').whereNotNull('last_error').first()) as { last_error: string };
  expect(failed.last_error).toMatch(/^Failed to \w+ Workflow: .*(UNAVAILABLE|DEADLINE)/);
  expectNoPauses();
  await startServer();
  await backlogGone();
});

it('payments accepted during an outage have their workflows started after it', async () => {
  await server!.stop();
  for (let i = 0; i < 5; i += 1) await accept();
  await firstFailure();
  expect(await open()).toBe(5);
  expectNoPauses();
  await startServer();
  await backlogGone();
});

it('payments accepted while the server hangs have their workflows started afterwards', async () => {
  process.kill(server!.pid!, 'SIGSTOP');
  try {
    await accept();
    await firstFailure();
    expect(await open()).toBe(1);
    expectNoPauses();
  } finally {
    process.kill(server!.pid!, 'SIGCONT');
  }
  await backlogGone();
});

it('a dispatcher that does not poll, as in an api, delivers after an outage without another request', async () => {
  await dispatcher.stop();
  dispatcher = newDispatcher();
  await server!.stop();
  await accept();
  await firstFailure();
  expectNoPauses();
  await startServer();
  await backlogGone();
});

it('in the end each payment is in one workflow', async () => {
  const ids = (await knex('payments').where({ network_id: world.networkId }).distinct('workflow_id')) as object[];
  expect(await eventually(async () => (await workflowCount()) === ids.length)).toBe(true);
  expect(await knex('payments').where({ network_id: world.networkId }).whereNull('workflow_id')).toEqual([]);
});
