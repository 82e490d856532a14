import path from 'node:path';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Knex } from 'knex';
import { createInspectionActivities, createStepActivities, type PaymentActivityDeps } from '../../activities/steps.ts';
import { RpcError } from '../../chain/rpc/error.ts';
import { connect } from '../../db/connection.ts';
import { decideCancel } from '../../db/payments/cancel.ts';
import { insertDealIntents } from '../../db/intents/deals.ts';
import { createDeploymentStore } from '../../db/wallets/deployment-store.ts';
import { expireOverdueOffchain } from '../../db/payments/offchain.ts';
import { createOutboxStore } from '../../db/outbox/outbox.ts';
import { sendAgain } from '../../db/payments/retry.ts';
import { selectTransitions } from '../../db/payments/transition.ts';
import type { Deployer } from '../../domain/ports/deployment.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createDispatcher, type Dispatcher } from '../../outbox/dispatcher.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { workflowBundle, createInspectionWorker } from '../../workers/workers.ts';
import { root } from '../../tools/paths.ts';
import { installRuntime } from '../../workers/connect.ts';
import { createTestDatabase } from './database.ts';
import { createWorld } from './fixtures.ts';
import { testTemporal } from './temporal.ts';

/** Says nothing. */
export const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Marks this process, because the files of a Jest worker share the SDK. It remembers its logger, also after it has shut down. */
const INSTALLED = Symbol.for('carat.quiet-sdk');

/** Keeps the SDK from writing into the test's output. */
export const quietSdk = (): void => {
  if (INSTALLED in globalThis) return;
  installRuntime(silent);
  Object.assign(globalThis, { [INSTALLED]: true });
};

/** The bundle of the workflows as they are now. */
export const testBundle = (): Promise<string> => workflowBundle(path.join(root, '.carat', 'cache'), silent);

export interface WorkflowWorker {
  readonly client: Client;
  readonly taskQueue: string;
  readonly dispatcher: Dispatcher;
  stop(): Promise<void>;
}

export interface WorkflowWorkerOptions {
  readonly knex: Knex;
  /** The chain, for tests of deployments; or that of each network, by its id. */
  readonly deployer?: Deployer | ((networkId: string) => Promise<Deployer>);
  /** Stands between the step and the database. */
  readonly insertDealIntents?: PaymentActivityDeps['insertDealIntents'];
}

/** A worker for workflows and their steps, over a real database, on a separate task queue. It runs no lanes. */
export const startWorkflowWorker = async (options: WorkflowWorkerOptions): Promise<WorkflowWorker> => {
  const { knex, deployer } = options;
  const { address, namespace, taskQueue } = testTemporal();
  quietSdk();
  const connection = await NativeConnection.connect({ address });
  const client = createTemporalClient({ address, namespace });
  const deployerOf = (networkId: string): Promise<Deployer> => {
    if (deployer === undefined) return Promise.reject(new Error('this test has no chain'));
    return typeof deployer === 'function' ? deployer(networkId) : Promise.resolve(deployer);
  };
  const activities = createStepActivities({
    insertDealIntents: options.insertDealIntents ?? ((ids) => insertDealIntents(knex, ids)),
    expireOverdueOffchain: (ids) => expireOverdueOffchain(knex, ids),
    decideCancel: (id) => decideCancel(knex, id),
    sendAgain: (id) => sendAgain(knex, id),
    selectTransitions: (ids) => selectTransitions(knex, ids),
    deployments: createDeploymentStore(knex),
    deployer: deployerOf,
    networkTrouble: (error) => (error instanceof RpcError ? error.waiting : null),
    log: silent,
    failpoint: () => {},
  });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: await testBundle() },
    activities,
    stickyQueueScheduleToStartTimeout: 1_000,
  });
  const inspections = await createInspectionWorker(
    { connection, namespace, taskQueue },
    createInspectionActivities({ deployer: deployerOf }),
  );
  const running = Promise.all([worker.run(), inspections.run()]);
  const dispatcher = createDispatcher({
    outbox: createOutboxStore(knex),
    client,
    taskQueue,
    profile: 'test',
    log: silent,
    deadlineMs: 5_000,
  });
  return {
    client,
    taskQueue,
    dispatcher,
    stop: async () => {
      await dispatcher.stop();
      worker.shutdown();
      inspections.shutdown();
      await running;
      await client.connection.close();
      await connection.close();
    },
  };
};

/** A separate database with one merchant, and a worker on it; both end with the test file. */
export const startWorkflowWorld = async () => {
  const knex = connect((await createTestDatabase()).url, { pool: 10 });
  const world = await createWorld(knex);
  const worker = await startWorkflowWorker({ knex });
  afterAll(async () => {
    await worker.stop();
    await knex.destroy();
  });
  return { knex, world, worker };
};
