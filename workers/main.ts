import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from '@temporalio/worker';
import { createChainActivities, createStepActivities } from '../activities/index.ts';
import { openKeystore } from '../chain/signing/keystore.ts';
import { useFastKeccak } from '../chain/pure/fast-keccak.ts';
import { loadWorkerConfig, platformOf } from '../config.ts';
import { connect } from '../db/connection.ts';
import { insertDealIntents } from '../db/payments/deal-intents.ts';
import { createDeploymentStore } from '../db/wallets/deployment-store.ts';
import { expireOffchain } from '../db/payments/offchain.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import { createOutboxStore } from '../db/outbox/outbox.ts';
import { readTransitions } from '../db/payments/transition.ts';
import { signerAccounts } from '../db/lane/accounts.ts';
import { createNotifications } from '../db/outbox/notifications.ts';
import { createLogger, eachLine } from '../logger.ts';
import { createDispatcher } from '../outbox/dispatcher.ts';
import { createTemporalClient } from '../outbox/temporal-client.ts';
import { workflowBundle } from './bundle.ts';
import { createChainParts } from './chain.ts';
import { connectWorker, untilItWorks } from './connect.ts';
import { ensureChainWorkflows } from './ensure.ts';
import { createFailpoint } from './failpoint.ts';
import { installRuntime } from './runtime.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { createWorkers } from './workers.ts';

/** How often missing lanes and watchers are looked for, in milliseconds. */
const ENSURE_MS = 30_000;

const log = createLogger({
  level: 'info',
  base: { process: 'worker', pid: process.pid },
  destination: eachLine(),
});
const stopping = new AbortController();
const { signal } = stopping;

/** The composition root: everything that the worker process consists of is made here. */
const run = async (): Promise<void> => {
  const config = loadWorkerConfig(process.env);
  const { profile, taskQueue, temporalAddress: address, temporalNamespace: namespace } = config;
  installRuntime(log);
  await useFastKeccak();

  const keystore = await openKeystore(config.keystore, config.keystorePassphrase);
  const knex = connect(config.databaseUrl, { pool: config.databasePool, applicationName: 'carat-worker' });
  const notifications = createNotifications({ url: config.databaseUrl, log });
  const client = createTemporalClient({ address, namespace });
  const failpoint = createFailpoint(profile === 'test' ? process.env['CARAT_FAULT'] : undefined, log);
  const chain = createChainParts({ knex, keystore, platform: platformOf(config), notifications, log, failpoint });
  const bundle =
    config.workflowBundle === ''
      ? await workflowBundle(path.join(import.meta.dirname, '..', '.carat', 'cache'), log)
      : config.workflowBundle;

  const connection = await untilItWorks('Connecting to Temporal', () => connectWorker(address, namespace), {
    log,
    signal,
  });
  await untilItWorks(
    'Looking for search attributes',
    () => registerSearchAttributes({ connection: client.connection, namespace }, log),
    { log, signal },
  );

  const workers = await createWorkers({
    connection,
    namespace,
    taskQueue,
    profile,
    bundle,
    steps: createStepActivities({
      insertDealIntents: (ids) => insertDealIntents(knex, ids),
      expireOffchain: (ids) => expireOffchain(knex, ids),
      readTransitions: (ids) => readTransitions(knex, ids),
      deployments: createDeploymentStore(knex),
      deployer: chain.deployer,
      failpoint,
    }),
    chain: createChainActivities({ runLane: chain.runLane, runWatcher: chain.runWatcher, stopping: signal }),
    limits: {
      cachedWorkflows: config.workerCachedWorkflows,
      activities: config.workerActivities,
      localActivities: config.databasePool,
      chainSlots: config.workerChainSlots,
    },
  });

  const notified = notifications.source({ carat_outbox: null });
  const dispatcher = createDispatcher({ outbox: createOutboxStore(knex), client, taskQueue, profile, log, notified });
  const ensureAll = async (): Promise<void> => {
    const mine = (await signerAccounts(knex)).filter((account) => keystore.addresses.includes(account.address));
    await ensureChainWorkflows({ client, taskQueue, profile, networks: await watchedNetworks(knex), lanes: mine });
  };
  const keepEnsuring = async (): Promise<void> => {
    while (!signal.aborted) {
      await untilItWorks('Starting lanes and watchers', ensureAll, { log, signal }).catch(() => undefined);
      await delay(ENSURE_MS, undefined, { signal }).catch(() => undefined);
    }
  };

  dispatcher.start();
  const ensuring = keepEnsuring();
  log.info('The worker is ready', { task_queue: taskQueue, profile });
  try {
    await runAll(workers);
  } finally {
    stopping.abort();
    await Promise.allSettled([dispatcher.stop(), ensuring]);
    await Promise.allSettled([connection.close(), client.connection.close(), notifications.stop(), knex.destroy()]);
  }
};

/** Runs the workers until a signal, or until one of them fails, which ends the others as well. */
const runAll = async (workers: readonly Worker[]): Promise<void> => {
  const stopAll = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const runs = workers.map((worker) => worker.run().finally(() => stopping.abort()));
  signal.addEventListener('abort', stopAll, { once: true });
  if (signal.aborted) stopAll();
  const failed = (await Promise.allSettled(runs)).find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
};

let asked = false;
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.once(name, () => {
    log.info('The worker stops', { signal: name });
    asked = true;
    stopping.abort();
  });
}

try {
  await run();
  log.info('The worker has stopped');
} catch (error) {
  if (!asked) {
    log.error('The worker failed', { reason: (error as Error).message });
    process.exitCode = 1;
  }
}
// Whatever a library still holds open must not keep a stopped worker alive.
process.exit();
