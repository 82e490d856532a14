import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PoolCounts } from '../db/connection.ts';
import type { FigureReaders } from '../db/figures/figures.ts';
import type { Log } from '../domain/ports/log.ts';
import { createSingleFlight } from '../domain/tools/single-flight.ts';
import { figureSources } from './figures.ts';
import { showPool } from './pool.ts';
import { createRefresh } from './refresh.ts';
import { serveMetrics } from './server.ts';

/** What a process shows of itself. */
export interface MetricsOptions {
  /** Kind of the process. */
  readonly kind: 'api' | 'worker';
  readonly metricsHost: string;
  /** 0: no metrics. */
  readonly metricsPort: number;
  readonly profile: 'production' | 'test';
  readonly pool: PoolCounts;
  readonly figures: FigureReaders;
  /** Adds the metrics that only this kind of process has. */
  readonly add?: (register: Registry) => void;
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
  options.add?.(register);
  const sources = figureSources(register, options.figures);
  const refresh = createRefresh(register, { sources, keptMs: keptMs[options.profile], patienceMs: PATIENCE_MS });
  // Scrapes at the same time share one collection.
  const render = createSingleFlight(() => refresh().then(() => register.metrics()), { late: 'join' });
  const server = await serveMetrics({ host, port }, register.contentType, render).catch((error: unknown) => {
    throw new Error(`CARAT_METRICS_PORT: ${(error as Error).message}`);
  });
  log.info('Metrics are served', { host, port: server.port });
  return { stop: () => server.stop().then(() => options.figures.close()) };
};
