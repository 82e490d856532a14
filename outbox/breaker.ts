import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../domain/ports/log.ts';

/** Whether the other side is worth asking. */
export interface Breaker {
  /** True while the other side is known to be down: nothing is worth trying. */
  readonly isOpen: boolean;
  /** Says that a call found the other side down. From here on it is probed until it answers. */
  trip(reason: string): void;
  stop(): void;
}

/** How the other side is asked, and what follows. */
export interface BreakerDeps {
  /** Resolves when the other side answers, rejects when it does not. Must be short. */
  readonly probe: () => Promise<unknown>;
  /** Called each time the other side is back. */
  readonly onBack: () => void;
  readonly log: Log;
  readonly firstProbeMs?: number;
  readonly longestPauseMs?: number;
}

/**
 * Keeps a server that is down from being asked once per waiting command: one small probe at a time, at most half a
 * second apart, finds out when it is back.
 */
export const createBreaker = (deps: BreakerDeps): Breaker => {
  const { probe, onBack, log, firstProbeMs = 50, longestPauseMs = 500 } = deps;
  const stopped = new AbortController();
  let open = false;

  const watch = async (): Promise<void> => {
    const since = Date.now();
    for (let pause = firstProbeMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      try {
        await delay(pause, undefined, { signal: stopped.signal, ref: false });
      } catch {
        return;
      }
      try {
        await probe();
        break;
      } catch {
        // Still down; the pause grows to its ceiling.
      }
    }
    open = false;
    log.info('Temporal answers again', { after_ms: Date.now() - since });
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
