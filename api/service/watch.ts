import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { closeWhatIsOver } from '../../db/alerts/over.ts';
import { raiseOfSilence } from '../../db/alerts/silence.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createSpell } from '../../domain/tools/spell.ts';

export interface WatchDeps {
  readonly knex: Knex;
  /** So long nobody has heard of a worker, or Temporal of nobody, before the operator is told. */
  readonly silenceSeconds: number;
  readonly profile: 'production' | 'test';
  readonly log: Log;
}

/** Pause between two queries, in milliseconds. */
export const watchMs = { production: 5_000, test: 500 } as const;
/** So many looks that were not made in their time make it uncertain what happened meanwhile. */
const MISSED = 3;

/**
 * Looks again and again whether workers and Temporal are there, and raises and closes the alerts of it: workers can not tell
 * that there is none of them. Any number of apis look; the first to see it writes the one alert there is.
 */
export const keepWatch = ({ knex, silenceSeconds, profile, log }: WatchDeps): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const everyMs = watchMs[profile];
  const trouble = createSpell();
  /** Since when this process has looked without a gap: while the database or this process itself was away, nobody was heard. */
  let since = performance.now();
  let lookedAt = { running: since, clock: Date.now() };

  const look = async (): Promise<void> => {
    // A machine that slept does not count the time, but its clock goes on.
    const gapMs = Math.max(performance.now() - lookedAt.running, Date.now() - lookedAt.clock);
    if (gapMs > everyMs * MISSED) since = performance.now();
    if (performance.now() - since >= silenceSeconds * 1_000) {
      logAlerts({ log }, await raiseOfSilence(knex, silenceSeconds));
    }
    logOver({ log }, await closeWhatIsOver(knex));
    lookedAt = { running: performance.now(), clock: Date.now() };
  };

  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await look().then(
        () => trouble.ends(() => log.info('Workers and Temporal are looked after again')),
        (error: unknown) => {
          trouble.begins(() =>
            log.warn('Workers and Temporal can not be looked after', { error: (error as Error).name }),
          );
          since = performance.now();
        },
      );
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const watching = watch();

  return {
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};
