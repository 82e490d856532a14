/** A server's clock, in milliseconds since the epoch, between two readings of this process's. */
export interface ServerTime {
  readonly url: string;
  readonly askedAt: number;
  /** As its header `Date` says, in whole seconds. */
  readonly serverMs: number;
  readonly endedAt: number;
}

/** This process's clock, compared with those of servers elsewhere. */
export interface OutsideClock {
  tell(time: ServerTime): void;
  /**
   * Milliseconds by which this clock is ahead of the clocks of most servers, below 0 behind them.
   * @returns null while fewer than two servers have said anything
   */
  compare(): { readonly aheadMs: number; readonly servers: number } | null;
}

/** Milliseconds after which an answer is too late to tell the time. */
const SLOW_MS = 5_000;
/** Milliseconds for which an answer counts. */
const FRESH_MS = 600_000;
/** Most servers that are remembered. */
const MOST = 64;
/** Since a step of this clock that is longer, in milliseconds, earlier answers say nothing. */
const STEP_MS = 2_000;
/** One server proves nothing. */
const FEWEST = 2;

/** Hosts of one provider count once: their names have the same end. Addresses and short names stand for themselves. */
const providerOf = (url: string): string => {
  const { host, hostname } = new URL(url);
  const labels = hostname.split('.');
  return labels.length < 2 || hostname.includes(':') || /^[\d.]+$/.test(hostname) ? host : labels.slice(-2).join('.');
};

/** This clock beside the one that no step moves. */
const steady = (): number => Date.now() - performance.now();

/** Remembers the newest answer of each provider. */
export const createOutsideClock = (): OutsideClock => {
  const readings = new Map<string, { readonly aheadMs: number; readonly at: number; readonly steady: number }>();
  return {
    tell: ({ url, askedAt, serverMs, endedAt }) => {
      if (endedAt < askedAt || endedAt - askedAt > SLOW_MS || !Number.isFinite(serverMs)) return;
      const provider = providerOf(url);
      readings.delete(provider);
      if (readings.size >= MOST) readings.delete(readings.keys().next().value!);
      // The header omits half a second on average.
      readings.set(provider, {
        aheadMs: (askedAt + endedAt) / 2 - serverMs - 500,
        at: performance.now(),
        steady: steady(),
      });
    },

    compare: () => {
      for (const [provider, { at, steady: then }] of readings)
        if (performance.now() - at > FRESH_MS || Math.abs(steady() - then) > STEP_MS) readings.delete(provider);
      const sorted = [...readings.values()].map(({ aheadMs }) => aheadMs).sort((a, b) => a - b);
      if (sorted.length < FEWEST) return null;
      const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)]!, sorted[Math.floor(sorted.length / 2)]!];
      // Of the two middle readings of an even number, the one nearer to zero counts, so that half of the servers raise no alert.
      return { aheadMs: low > 0 ? low : Math.min(high, 0), servers: sorted.length };
    },
  };
};
