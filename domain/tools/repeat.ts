import type { Log } from '../ports/log.ts';
import type { NotificationSource } from '../ports/notifications.ts';
import { errorName } from './error-name.ts';
import { createEpisode } from './episode.ts';

/** The pauses of a loop, and the outcomes of its passes. */
export interface Loop {
  /** Milliseconds between two passes; a pass may return others. */
  readonly everyMs: number;
  /** Waits between two passes: by the clock, unless a notification may end the pause. */
  readonly wait?: NotificationSource['wait'];
  readonly worked?: () => void;
  /** Gets the error of a failed pass, and the loop goes on. Without it, or when it throws, the failure ends the loop. */
  readonly failed?: (error: unknown) => void;
}

/** Resolves after `ms` milliseconds, or when the signal aborts. Never rejects. */
export const pause: NotificationSource['wait'] = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });

/**
 * Repeats a pass until the signal aborts, one at a time.
 * @param pass returns the milliseconds until the next one, if they are not the usual ones
 * @throws the error of a pass that failed, if the loop does not handle failures
 */
export const repeat = async (
  pass: () => Promise<number | void>,
  { everyMs, wait = pause, worked, failed, signal }: Loop & { readonly signal: AbortSignal },
): Promise<void> => {
  while (!signal.aborted) {
    let pauseMs = everyMs;
    try {
      pauseMs = (await pass()) ?? everyMs;
      worked?.();
    } catch (error) {
      if (failed === undefined) throw error;
      failed(error);
    }
    await wait(pauseMs, signal);
  }
};

/** Starts a loop. `stop` ends it, and resolves after the pass under way. */
export const startLoop = (
  pass: (signal: AbortSignal) => Promise<number | void>,
  loop: Loop,
): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = repeat(() => pass(signal), { ...loop, signal });
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
};

/** Logs the first of several failures in a row, and the pass that works again. */
export const logOutcomes = (
  log: Log,
  words: { readonly works: string; readonly fails: string },
): Required<Pick<Loop, 'worked' | 'failed'>> => {
  const trouble = createEpisode();
  return {
    worked: () => trouble.ends(() => log.info(words.works)),
    failed: (error) => trouble.begins(() => log.warn(words.fails, { error: errorName(error) })),
  };
};
