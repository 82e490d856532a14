import { Gauge, type Registry } from 'prom-client';
import { withinMs } from '../domain/tools/within-ms.ts';

/** Figures that are read when somebody scrapes, and then shown as gauges. */
export interface Source {
  readonly name: string;
  /** Reads the figures and sets the gauges. */
  readonly show: () => Promise<void>;
  /** Removes the series of figures that could not be read: no figure is better than an old one. */
  readonly hide: () => void;
}

export interface RefreshOptions {
  readonly sources: readonly Source[];
  /** Milliseconds for which figures that were read are shown again. */
  readonly keptMs: number;
  /** Milliseconds that a scrape waits for them. */
  readonly patienceMs: number;
}

/** Figures are read for at most this part of the time, however long that takes. */
const SHARE = 1 / 50;

/**
 * Reads the sources one after another, at most once at a time and not again for `keptMs`, or for fifty times as long as it took.
 * A scrape that has waited for `patienceMs` goes on without the sources that are not read yet; `carat_collect_up` says so.
 */
export const createRefresh = (register: Registry, options: RefreshOptions): (() => Promise<void>) => {
  const { sources, keptMs, patienceMs } = options;
  const labelled = { labelNames: ['source'] as const, registers: [register] };
  const up = new Gauge({
    name: 'carat_collect_up',
    help: '1 if the figures of the source are shown; 0 if they could not be read, or not in time',
    ...labelled,
  });
  const seconds = new Gauge({
    name: 'carat_collect_duration_seconds',
    help: 'Time that the last reading of the source took',
    ...labelled,
  });
  const missing = (source: Source): void => {
    source.hide();
    up.set({ source: source.name }, 0);
  };

  let dueAt = 0;
  let reading: Promise<void> | undefined;
  let unread: Source[] = [];

  const read = async (): Promise<void> => {
    const began = performance.now();
    unread = [...sources];
    for (const source of sources) {
      const from = performance.now();
      await source.show().then(
        () => up.set({ source: source.name }, 1),
        () => missing(source),
      );
      unread = unread.filter((one) => one !== source);
      seconds.set({ source: source.name }, (performance.now() - from) / 1_000);
    }
    const tookMs = performance.now() - began;
    dueAt = performance.now() + Math.max(keptMs, tookMs / SHARE);
  };

  return async () => {
    if (performance.now() >= dueAt) {
      reading ??= read().finally(() => (reading = undefined));
    }
    if (reading === undefined) return;
    await withinMs(patienceMs, reading);
    if (reading !== undefined) unread.forEach(missing);
  };
};
