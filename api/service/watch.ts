import type { Knex } from 'knex';
import { createChoreRunner, watchChores } from '../../db/alerts/chores.ts';
import { closeWhatIsOver } from '../../db/alerts/over.ts';
import { raiseOfSilence } from '../../db/alerts/silence.ts';
import { createDatabaseClock } from '../../db/processes/set-back.ts';
import { closeStalledSigning, raiseOfStalledSigning } from '../../db/offers/stalled.ts';
import type { Log } from '../../domain/ports/log.ts';
import { logAlerts, logOver } from '../../domain/tools/observer.ts';
import { startLoop } from '../../domain/tools/repeat.ts';

export interface WatchDeps {
  readonly knex: Knex;
  /** Seconds of silence of workers, signers or Temporal before the operator is alerted. */
  readonly silenceSeconds: number;
  /** Name of the process. */
  readonly name: string;
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
export const keepWatch = ({ knex, silenceSeconds, name, profile, log }: WatchDeps): { stop(): Promise<void> } => {
  const everyMs = watchMs[profile];
  const run = createChoreRunner(watchChores(knex, { kind: 'api', name }, log), log, {
    works: 'The watch over workers and Temporal works again',
    fails: 'The watch over workers and Temporal fails',
  });
  /**
   * Start of the current run of checks without a gap. While the database or this process was away, no sign of life
   * could be seen.
   */
  let since = performance.now();
  let lookedAt = { running: since, clock: Date.now() };
  const lookAtClock = createDatabaseClock(knex, silenceSeconds);

  const lookAtSigns = async (): Promise<void> => {
    // The monotonic clock stops while the machine sleeps; the wall clock does not.
    const gapMs = Math.max(performance.now() - lookedAt.running, Date.now() - lookedAt.clock);
    if (gapMs > everyMs * MISSED) since = performance.now();
    if (performance.now() - since >= silenceSeconds * 1_000) {
      logAlerts({ log }, await raiseOfSilence(knex, silenceSeconds));
      logAlerts({ log }, await raiseOfStalledSigning(knex, silenceSeconds));
    }
    logOver({ log }, await closeWhatIsOver(knex));
    logOver({ log }, await closeStalledSigning(knex));
    lookedAt = { running: performance.now(), clock: Date.now() };
  };

  /** Each step is a chore of its own: signs of life are also watched while stored times cannot be moved. */
  const steps = {
    database_clock: async (): Promise<void> => {
      // Signs of a moment ago seem old after the database's clock was set ahead, and after they were moved back.
      if ((await lookAtClock()).wasSet) since = performance.now();
    },
    signs_of_life: lookAtSigns,
  };

  const watch = async (): Promise<void> => {
    for (const [chore, step] of Object.entries(steps)) {
      const hasWorked = await run(chore, step);
      if (!hasWorked && chore === 'signs_of_life') since = performance.now();
    }
  };

  return startLoop(watch, { everyMs });
};
