import path from 'node:path';
import type { Worker } from '@temporalio/worker';
import { createChainActivities, createRetryActivities, createSenderActivities } from '../activities/runs.ts';
import { createInspectionActivities, createStepActivities } from '../activities/steps.ts';
import { checksum } from '../chain/pure/address.ts';
import { useFastKeccak } from '../chain/pure/fast-keccak.ts';
import { openKeystore } from '../chain/signing/keystore.ts';
import { loadWorkerConfig, type WorkerConfig } from '../runtime/config.ts';
import { connect, poolOf } from '../db/connection.ts';
import { assertUnderstood } from '../db/level.ts';
import { assertMigrated } from '../db/migrate.ts';
import { createFigures } from '../db/figures/figures.ts';
import { createNotifications } from '../db/outbox/notifications.ts';
import { createOutboxStore } from '../db/outbox/outbox.ts';
import { decideCancel } from '../db/payments/cancel.ts';
import { insertDealIntents } from '../db/intents/deals.ts';
import { setWindow } from '../db/offers/record.ts';
import { expireOverdueOffchain } from '../db/payments/offchain.ts';
import { sendAgain } from '../db/payments/retry.ts';
import { selectTransitions } from '../db/payments/transition.ts';
import { createPatience } from '../db/query/errors.ts';
import { createDeploymentStore } from '../db/wallets/deployment-store.ts';
import { keepOperatorWebhook, createOperatorDeliveryStore } from '../db/webhooks/operator.ts';
import { startOperatorSender, storeOperatorWebhook } from '../delivery/operator.ts';
import { createLogger, eachLine } from '../runtime/logger.ts';
import { startMetrics } from '../metrics/metrics.ts';
import { logPayments } from '../metrics/payments.ts';
import { createSdkMetrics } from '../metrics/sdk.ts';
import { createOutsideClock } from '../domain/tools/outside-clock.ts';
import { createDispatcher } from '../outbox/dispatcher.ts';
import { processName, giveSignsOfLife, type SignOfLifeDeps } from '../outbox/sign-of-life.ts';
import {
  registerSearchAttributes,
  askTemporal,
  createTemporalClient,
  temporalAt,
  TEMPORAL_MS,
} from '../outbox/temporal-client.ts';
import { workflowBundle, createWorkers } from './workers.ts';
import { createChainParts } from './chain.ts';
import { connectTemporal, isWorkerPolling, installRuntime } from './connect.ts';
import { keepChainWorkflows } from './ensure.ts';
import { createFailpoint } from './failpoint.ts';
import { watchKeys } from './keys.ts';
import { lookAfter } from './look-after.ts';
import { createNetworks } from './networks.ts';
import { watchPayees } from './payees.ts';
import { watchTokens } from './tokens.ts';
import { assertMasterKey, createWebhookParts } from './webhooks.ts';

const log = createLogger({
  level: 'info',
  base: { process: 'worker', pid: process.pid },
  destination: eachLine(),
});
const stopping = new AbortController();
const { signal } = stopping;

/** Finishes nothing: any further write of this process may be wrong, and others take over its work like that of a killed one. */
const onBelowFloor = ({ message }: Error): void => {
  log.error('The worker must end', { reason: message });
  process.exit(1);
};

/** The steps of payments and diamonds, over the database. */
const stepsOf = (
  knex: ReturnType<typeof connect>,
  parts: Pick<Parameters<typeof createStepActivities>[0], 'deployer' | 'networkTrouble' | 'log' | 'failpoint'>,
) =>
  createStepActivities({
    insertDealIntents: (ids) => insertDealIntents(knex, ids),
    expireOverdueOffchain: (ids) => expireOverdueOffchain(knex, ids),
    decideCancel: (id) => decideCancel(knex, id),
    sendAgain: (id) => sendAgain(knex, id),
    selectTransitions: (ids) => selectTransitions(knex, ids),
    deployments: createDeploymentStore(knex),
    ...parts,
  });

/** Starts everything outside Temporal: chores and the operator's webhook, beside the signs of life. */
const startChores = (
  config: WorkerConfig,
  { knex, client }: Pick<SignOfLifeDeps, 'knex' | 'client'>,
  life: Awaited<ReturnType<typeof giveSignsOfLife>>,
): (() => Promise<unknown>) => {
  const at = { connection: client.connection, namespace: client.options.namespace };
  const registerAttributes = () =>
    client.withDeadline(Date.now() + TEMPORAL_MS, () => registerSearchAttributes(at, log));
  const looking = lookAfter({ ...config, knex, registerAttributes, name: processName(), log, signal });
  const telling = startOperatorSender({ ...config, store: createOperatorDeliveryStore(knex), checksum, log });
  return () => Promise.allSettled([looking, telling.stop(), life.stop()]);
};

/** The composition root: creates all parts of the worker process. */
// oxlint-disable-next-line max-statements -- a flat list of parts in the order in which they depend on each other
const run = async (): Promise<void> => {
  const config = loadWorkerConfig(process.env);
  const { profile, taskQueue, temporalNamespace: namespace } = config;
  const temporal = temporalAt(config);
  const sdk = config.metricsPort === 0 ? null : await createSdkMetrics();
  installRuntime(log, sdk?.bindAddress);
  logPayments(log);
  await useFastKeccak();

  const keystore = await openKeystore(config.keystore, config.keystorePassphrase);
  const knex = connect(config.databaseUrl, { pool: config.databasePool, role: 'worker' });
  const client = createTemporalClient(temporal);
  const metrics = await startMetrics({
    ...config,
    kind: 'worker',
    isHealthy: () => isWorkerPolling(client, { taskQueue, isIt: (identity) => identity === processName() }),
    pool: poolOf(knex),
    figures: createFigures(config.databaseUrl),
    sdk,
    log,
  });
  const notifications = createNotifications({ url: config.databaseUrl, log });
  const failpoint = createFailpoint(profile === 'test' ? process.env['CARAT_FAULT'] : undefined, log);
  const outside = createOutsideClock();
  const networks = createNetworks({ knex, log, outside });
  const chain = createChainParts({ ...config, knex, keystore, networks, notifications, log, failpoint });
  const patiently = createPatience(log, signal);
  await patiently(() => assertMigrated(knex));
  await patiently(() => assertUnderstood(knex));
  await patiently(() => assertMasterKey({ ...config, knex }));
  await patiently(() => setWindow(knex, config.offerWindow));
  await patiently(() => storeOperatorWebhook({ ...config, keep: (wanted) => keepOperatorWebhook(knex, wanted) }));
  const keys = await watchKeys(
    { ...chain, knex, keystore, askTemporal: () => askTemporal(client), profile, patiently, log },
    signal,
  );
  const webhooks = { ...createWebhookParts({ ...config, knex, notifications, log }), stopping: signal };
  const bundle =
    config.workflowBundle || (await workflowBundle(path.join(import.meta.dirname, '../.carat/cache'), log));
  const connection = await connectTemporal({ temporal, log, signal });

  const workers = await createWorkers({
    connection,
    namespace,
    taskQueue,
    profile,
    bundle,
    steps: stepsOf(knex, { ...chain, log, failpoint }),
    chain: { ...createChainActivities({ ...chain, stopping: signal }), ...createSenderActivities(webhooks) },
    retries: createRetryActivities(webhooks),
    inspections: createInspectionActivities(chain),
    limits: limitsOf(config),
  });

  // Contract steps have not waited for it, as long as it waited for Temporal.
  const life = await giveSignsOfLife({ ...config, kind: 'worker', knex, client, outside, onBelowFloor, log });
  const notified = notifications.source({ carat_outbox: null });
  const dispatcher = createDispatcher({
    outbox: createOutboxStore(knex),
    client,
    taskQueue,
    profile,
    log,
    notified,
  });
  dispatcher.start();
  const applied = () => notifications.source({ carat_catalogue: null });
  const following = networks.follow(applied(), signal);
  const comparing = watchTokens({ knex, log }, applied(), signal);
  const asking = watchPayees({ knex, log }, signal);
  const ensuring = keepChainWorkflows({ client, taskQueue, profile, knex, keystore, log, signal, applied: applied() });
  const endChores = startChores(config, { knex, client }, life);
  log.info('The worker is ready', { task_queue: taskQueue, profile });
  try {
    await runAll(workers);
  } finally {
    stopping.abort();
    await Promise.allSettled([dispatcher.stop(), following, comparing, asking, ensuring, endChores(), keys.end()]);
    await Promise.allSettled([
      connection.close(),
      client.connection.close(),
      notifications.stop(),
      metrics.stop(),
      knex.destroy(),
    ]);
  }
};

const limitsOf = (config: WorkerConfig) => ({
  cachedWorkflows: config.workerCachedWorkflows,
  activities: config.workerActivities,
  localActivities: config.databasePool,
  chainSlots: config.workerChainSlots,
});

/** Runs the workers until a signal, or until one of them fails and thereby stops the others. */
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

/** Milliseconds until a forced exit. Workers are forced to stop earlier, so only a database or server can hang then. */
const LAST_MS = 20_000;

let asked = false;
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.once(name, () => {
    log.info('The worker stops', { signal: name });
    asked = true;
    setTimeout(() => process.exit(1), LAST_MS).unref();
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
// Handles that a library leaves open must not keep a stopped worker alive.
process.exit();
