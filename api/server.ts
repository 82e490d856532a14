import { checksum } from '../chain/pure/address.ts';
import { useFastKeccak } from '../chain/pure/fast-keccak.ts';
import { ConfigError, loadApiConfig, type ApiConfig } from '../runtime/config.ts';
import { forgetAnswers } from '../db/audit/audited-transaction.ts';
import { watchChores } from '../db/alerts/chores.ts';
import { connect, poolOf } from '../db/connection.ts';
import { forgetFullBuckets } from '../db/limits/rate-limits.ts';
import { assertUnderstood } from '../db/level.ts';
import { assertMigrated } from '../db/migrate.ts';
import { createFigures } from '../db/figures/figures.ts';
import { createNotifications } from '../db/outbox/notifications.ts';
import { forgetDelivered, createOutboxStore } from '../db/outbox/outbox.ts';
import { PAGES } from '../db/outbox/pages.ts';
import { createPatience } from '../db/query/errors.ts';
import { createRetention } from '../db/retention/passes.ts';
import { forgetProcesses } from '../db/processes/processes.ts';
import { forgetBeyond, forgetEvents } from '../db/webhooks/forget.ts';
import { createOperatorDeliveryStore, keepOperatorWebhook } from '../db/webhooks/operator.ts';
import { startOperatorSender, storeOperatorWebhook } from '../delivery/operator.ts';
import type { OperatorWebhook } from '../domain/ports/deliveries.ts';
import { succeeds } from '../domain/tools/succeeds.ts';
import { createEncryption } from '../runtime/encryption.ts';
import { createLogger, linesOfATurn } from '../runtime/logger.ts';
import { startMetrics } from '../metrics/metrics.ts';
import { logPayments } from '../metrics/payments.ts';
import { createDispatcher } from '../outbox/dispatcher.ts';
import { createInspections } from '../outbox/inspections.ts';
import { processName, giveSignsOfLife, type SignOfLifeDeps } from '../outbox/sign-of-life.ts';
import { createTemporalClient, temporalAt } from '../outbox/temporal-client.ts';
import { createApp } from './app.ts';
import { createKeyRing, keepKeysFresh } from './auth/key-ring.ts';
import { OutsideIssuersError, readOutsideIssuers } from './auth/outside-issuers.ts';
import { createWidgetTokens } from './auth/widget-tokens.ts';
import { listenHttp } from './http/http-server.ts';
import { createValidator } from './http/validator.ts';
import { loadSpecification } from './request/specification.ts';
import { certificateSources, keepCertificates } from './service/certificates.ts';
import { startHousekeeping } from './service/housekeeping.ts';
import { keepWatch } from './service/watch.ts';
import { checkNotifications } from './widget/notification-check.ts';
import { createPages } from './widget/pages.ts';

/** Milliseconds that requests in flight may take after SIGTERM. */
const GRACE_MS = 7_000;
/**
 * Milliseconds after SIGTERM at which the process exits even if something hangs, such as a database that does not
 * answer. Supervisors wait for ten seconds.
 */
const LAST_MS = 9_000;
/** Milliseconds after which every process refuses a revoked integration. */
const REVOCATION_DELAY_MS = 500;
/** Milliseconds between two refreshes of the token keys; a new key waits a minute before it signs. */
const KEYS_EVERY_MS = 5_000;
/** Cleanup interval, in milliseconds. */
const HOUSEKEEPING_EVERY_MS = 60_000;

const log = createLogger({
  level: 'info',
  base: { process: 'api', pid: process.pid },
  destination: linesOfATurn(),
});

const patiently = createPatience(log);

/** Null: unlimited. */
const bucketSize = (rate: number, burst: number) => (rate === 0 || burst === 0 ? null : { rate, burst });

const choresOf = (knex: ReturnType<typeof connect>, config: ApiConfig) => ({
  full_buckets: () => forgetFullBuckets(knex),
  idempotency_keys: () => forgetAnswers(knex, config.retentionAnswers),
  webhook_events: () => forgetEvents(knex, config.retentionWebhooks),
  webhook_deliveries: () => forgetBeyond(knex),
  processes: () => forgetProcesses(knex),
  outbox: () => forgetDelivered(knex, config.retentionCommands),
  ...createRetention(knex, {
    alerts: config.retentionAlerts,
    clientIps: config.retentionClientIps,
    logs: config.retentionLogs,
    offers: config.retentionOffers,
  }),
});

/** Finishes nothing: any further write of this process may be wrong. Clients retry. */
const onBelowFloor = ({ message }: Error): void => {
  log.error('The api must end', { reason: message });
  process.exit(1);
};

/**
 * Starts the duties that need no worker: the api's sign of life, the watch over workers, Temporal and certificates, and
 * the operator's webhook.
 * @throws Error when the operator's webhook may not be called or has no secret
 */
const lookAfterOperator = async (
  config: ApiConfig,
  { knex, client }: Pick<SignOfLifeDeps, 'knex' | 'client'>,
): Promise<() => Promise<void>> => {
  // Only workers remove the operator's webhook. An api without one keeps the workers' webhook.
  const keep = (wanted: OperatorWebhook | null): Promise<void> =>
    wanted === null ? Promise.resolve() : keepOperatorWebhook(knex, wanted);
  await patiently(() => storeOperatorWebhook({ ...config, keep }));
  const parts = [
    await giveSignsOfLife({ ...config, kind: 'api', knex, client, onBelowFloor, log }),
    keepWatch({ ...config, knex, name: processName(), log }),
    keepCertificates({ ...config, knex, sources: certificateSources(config), log }),
    startOperatorSender({ ...config, store: createOperatorDeliveryStore(knex), checksum, log }),
  ];
  return async () => void (await Promise.all(parts.map((part) => part.stop())));
};

/** Starts the parts of the api process in order, and returns the function that stops them. */
const start = async (): Promise<() => Promise<void>> => {
  const config = loadApiConfig(process.env);
  logPayments(log);
  await useFastKeccak();
  const knex = connect(config.databaseUrl, { pool: config.databasePool, role: 'api', log });
  let isStarted = false;
  const metrics = await startMetrics({
    ...config,
    kind: 'api',
    isStarted: () => isStarted,
    pool: poolOf(knex),
    figures: createFigures(config.databaseUrl),
    log,
  });
  await patiently(() => assertMigrated(knex));
  await patiently(() => assertUnderstood(knex));
  const keyRing = await patiently(() => createKeyRing({ knex, masterKey: config.masterKey }));
  const { outsideIssuers: file, publicUrl: ownIssuer } = config;
  const outsideIssuers = await patiently(() => readOutsideIssuers({ file, ownIssuer, knex }));
  const freshKeys = keepKeysFresh({ keyRing, everyMs: KEYS_EVERY_MS, log });
  const client = createTemporalClient(temporalAt(config));
  const isTemporalReachable = (): Promise<boolean> =>
    succeeds(client.connection.withDeadline(Date.now() + 1_000, () => client.workflowService.getSystemInfo({})));
  const workflows = { client, taskQueue: config.taskQueue, profile: config.profile, log };
  const dispatcher = createDispatcher({
    outbox: createOutboxStore(knex),
    ...workflows,
    signals: false,
  });
  const notifications = createNotifications({ url: config.databaseUrl, channels: [PAGES, 'carat_block'], log });
  const pages = createPages({
    knex,
    notifications,
    tokens: createWidgetTokens(keyRing),
    publicUrl: config.publicUrl,
    log,
  });
  const notificationCheck = checkNotifications({ knex, notifications, pages, name: processName(), log });
  const specification = loadSpecification(new URL('../openapi.yaml', import.meta.url));
  const app = createApp({
    specification,
    validate: createValidator(specification),
    knex,
    keyRing,
    encryption: createEncryption(config.masterKey),
    dispatch: dispatcher,
    inspect: createInspections(workflows),
    isTemporalReachable,
    publicUrl: config.publicUrl,
    outsideIssuers,
    maxOpenPayments: config.maxOpenPayments,
    rateLimits: {
      caller: bucketSize(config.rateLimit, config.rateBurst),
      address: bucketSize(config.ipRateLimit, config.ipRateBurst),
    },
    streamLimits: { ofProcess: config.eventStreams, ofAddress: config.ipEventStreams || Infinity },
    pages,
    connectionsPerNode: Math.ceil(config.databasePool / 2),
    trustedProxies: config.trustedProxies,
    webhookHosts: config.webhookHosts,
    silenceSeconds: config.silenceSeconds,
    revocationDelayMs: REVOCATION_DELAY_MS,
    log,
  });
  const leaveOperator = await lookAfterOperator(config, { knex, client });
  const housekeeping = startHousekeeping({
    chores: choresOf(knex, config),
    everyMs: HOUSEKEEPING_EVERY_MS,
    watch: watchChores(knex, { kind: 'api', name: processName() }, log),
    log,
  });
  const server = await listenHttp(app, config.apiHost, config.apiPort);
  isStarted = true;
  log.info('The api is ready', { host: config.apiHost, port: server.port, public_url: config.publicUrl });
  return async () => {
    // Pages connect again, to another process.
    pages.stop();
    await server.stop(GRACE_MS);
    await notificationCheck.stop();
    await notifications.stop();
    freshKeys.stop();
    await housekeeping.stop();
    await leaveOperator();
    await dispatcher.stop();
    await client.connection.close();
    await metrics.stop();
    await knex.destroy();
  };
};

try {
  const stop = await start();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info('The api stops', { signal });
      setTimeout(() => {
        log.error('The api did not stop in time');
        process.exit(1);
      }, LAST_MS).unref();
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error('The api did not stop cleanly', { reason: (error as Error).message });
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  const { name, message } = error as Error;
  log.error('The api cannot start', {
    reason: message,
    ...(error instanceof ConfigError || error instanceof OutsideIssuersError
      ? { problems: error.problems }
      : { error: name }),
  });
  process.exit(1);
}
