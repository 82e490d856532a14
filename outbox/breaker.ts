import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../domain/ports/log.ts';

/** A circuit breaker: it stops calls to a server that is down. */
export interface Breaker {
  /** True while the server is known to be down. */
  readonly isOpen: boolean;
  /** Opens the breaker after a call that found the server down. Pings the server until it responds. */
  trip(reason: string): void;
  stop(): void;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** The ping of a breaker and its callback. */
export interface BreakerDeps {
  /** Resolves when the server responds, rejects when it does not. Must be quick. */
  readonly ping: () => Promise<unknown>;
  /** Called each time the server is back. */
  readonly onBack: () => void;
  readonly log: Log;
}

/**
 * Creates a breaker. While the server is down, it sends one small ping at a time, at most half a second apart, in place of a
 * call per waiting command.
 */
export const createBreaker = (deps: BreakerDeps): Breaker => {
  const { ping, onBack, log } = deps;
  const stopped = new AbortController();
  let open = false;

  const watch = async (): Promise<void> => {
    const since = performance.now();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        await delay(pause, undefined, { signal: stopped.signal, ref: false });
      } catch {
        return;
      }
      try {
        await ping();
        break;
      } catch {
        // Still down; the pause doubles up to its limit.
      }
    }
    open = false;
    log.info('Temporal answers again', { after_ms: performance.now() - since });
    onBack();
  };

  return {
    get isOpen() {
      return open;
    },
    trip: (reason) => {
      if (open || stopped.signal.aborted) return;
      open = true;
      log.warn('Temporal does not answer; commands wait in the outbox', { reason });
      void watch();
    },
    stop: () => stopped.abort(),
  };
};
