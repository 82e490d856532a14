import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { closeWhatIsOver } from '../../db/alerts/over.ts';
import { raiseOfSilence } from '../../db/alerts/silence.ts';
import { createDatabaseClock } from '../../db/processes/set-back.ts';
import { closeStalledSigning, raiseOfStalledSigning } from '../../db/offers/stalled.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createSpell } from '../../domain/tools/spell.ts';

export interface WatchDeps {
  readonly knex: Knex;
  /** Seconds of silence of workers, signers or Temporal before the operator is alerted. */
  readonly silenceSeconds: number;
  readonly profile: 'production' | 'test';
  readonly log: Log;
}

/** Milliseconds between two checks. */
export const watchMs = { production: 5_000, test: 500 } as const;
/** After this many missed checks the time between them is unknown. */
const MISSED = 3;

/**
 * Checks periodically that workers, the signing of offers and Temporal are alive, and raises and closes their alerts, because workers cannot
 * report their own absence. Any number of apis check; the first to notice raises the one alert.
 */
export const keepWatch = ({ knex, silenceSeconds, profile, log }: WatchDeps): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const everyMs = watchMs[profile];
  const trouble = createSpell();
  /**
   * Start of the current run of checks without a gap. While the database or this process was away, no sign of life
   * could be seen.
   */
  let since = performance.now();
  let lookedAt = { running: since, clock: Date.now() };
  const lookAtClock = createDatabaseClock(knex, silenceSeconds);

  const look = async (): Promise<void> => {
    // The monotonic clock stops while the machine sleeps; the wall clock does not.
    const gapMs = Math.max(performance.now() - lookedAt.running, Date.now() - lookedAt.clock);
    const { wasSet } = await lookAtClock();
    // Signs of a moment ago seem old after the database's clock was set ahead, and after they were moved back.
    if (wasSet || gapMs > everyMs * MISSED) since = performance.now();
    if (performance.now() - since >= silenceSeconds * 1_000) {
      logAlerts({ log }, await raiseOfSilence(knex, silenceSeconds));
      logAlerts({ log }, await raiseOfStalledSigning(knex, silenceSeconds));
    }
    logOver({ log }, await closeWhatIsOver(knex));
    logOver({ log }, await closeStalledSigning(knex));
    lookedAt = { running: performance.now(), clock: Date.now() };
  };

  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await look().then(
        () => trouble.ends(() => log.info('The watch over workers and Temporal works again')),
        (error: unknown) => {
          trouble.begins(() => log.warn('The watch over workers and Temporal fails', { error: (error as Error).name }));
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
