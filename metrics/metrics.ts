import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PoolCounts } from '../db/connection.ts';
import type { FigureReaders } from '../db/figures/figures.ts';
import type { Log } from '../domain/ports/log.ts';
import { createSingleFlight } from '../domain/tools/single-flight.ts';
import { countEndpoints, measureLanes, countNetworks } from './chains.ts';
import { figureSources } from './figures.ts';
import { showPings, showRefusals, showCertificates, showClock, showPool } from './process.ts';
import { countAttempts, countForgotten, countOffers, countPayments } from './payments.ts';
import { createRefresh } from './refresh.ts';
import { countRequests } from './requests.ts';
import type { SdkMetrics } from './sdk.ts';
import { serveMetrics } from './server.ts';

/** The metrics of a process. */
export interface MetricsOptions {
  readonly kind: 'api' | 'worker';
  readonly metricsHost: string;
  /** 0: no metrics. */
  readonly metricsPort: number;
  readonly profile: 'production' | 'test';
  readonly pool: PoolCounts;
  readonly figures: FigureReaders;
  /** Metrics of the Temporal SDK; null for none. */
  readonly sdk?: SdkMetrics | null;
  /** Whether the process does its work, for `/healthz` on the same port. Absent: not served. */
  readonly isHealthy?: () => Promise<boolean>;
  /** Whether `/metrics` is served yet. Absent: from the beginning. */
  readonly isStarted?: () => boolean;
  readonly log: Log;
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Milliseconds for which figures of the database are shown again. */
const keptMs = { production: 10_000, test: 200 } as const;
/** Milliseconds that a scrape waits for the database. */
const PATIENCE_MS = 2_000;
/** Milliseconds between two samples of the delay of the event loop. */
const LOOP_SAMPLE_MS = 50;

/** The reports of the parts of a process. */
const countAll = (register: Registry, kind: MetricsOptions['kind'], nameOf: (networkId: string) => string): void => {
  countPayments(register, nameOf);
  countOffers(register);
  countAttempts(register);
  countForgotten(register);
  showClock(register);
  const own = { api: [countRequests, showCertificates], worker: [countNetworks, countEndpoints, measureLanes] };
  for (const count of own[kind]) count(register);
};

/** Text that another exporter of this process renders. */
const createText = (name: string, exporter: SdkMetrics | null) => {
  let text = '';
  const hide = (): void => void (text = '');
  const show = async (): Promise<void> => void (text = (await exporter?.read()) ?? '');
  return { text: () => text, sources: exporter === null ? [] : [{ name, show, hide }] };
};

/**
 * Serves this process's metrics on a port of their own. Nothing is counted without that port.
 * @throws Error when the port is taken
 */
export const startMetrics = async (options: MetricsOptions): Promise<{ stop(): Promise<void> }> => {
  const { kind, metricsHost: host, metricsPort: port, log } = options;
  if (port === 0) return { stop: () => Promise.resolve() };
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  new Gauge({
    name: 'carat_info',
    help: 'Always 1; kind of the process and version of Carat',
    labelNames: ['process', 'version'],
    registers: [register],
  }).set({ process: kind, version }, 1);
  showPool(register, options.pool);
  showRefusals(register);
  showPings(register);
  const names = new Map<string, string>();
  countAll(register, kind, (networkId) => names.get(networkId) ?? 'unknown');
  const figures = {
    ...options.figures,
    networks: async () => {
      const networks = await options.figures.networks();
      for (const { id, name } of networks) names.set(id, name);
      return networks;
    },
  };
  const more = createText('temporal_sdk', options.sdk ?? null);
  const sources = [...more.sources, ...figureSources(register, figures)];
  const refresh = createRefresh(register, { sources, keptMs: keptMs[options.profile], patienceMs: PATIENCE_MS });
  // Scrapes at the same time share one collection.
  const render = createSingleFlight(() => refresh().then(async () => (await register.metrics()) + more.text()), {
    late: 'join',
  });
  // So that the names of networks are known.
  await refresh();
  const pages = {
    contentType: register.contentType,
    render,
    isHealthy: options.isHealthy === undefined ? null : createSingleFlight(options.isHealthy, { late: 'join' }),
    isStarted: options.isStarted ?? (() => true),
  };
  const server = await serveMetrics({ host, port }, pages).catch((error: unknown) => {
    throw new Error(`CARAT_METRICS_PORT: ${(error as Error).message}`);
  });
  log.info('Metrics are served', { host, port: server.port });
  return { stop: () => server.stop().then(() => options.figures.close()) };
};
