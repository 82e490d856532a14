import { setTimeout as delay } from 'node:timers/promises';

/** Tries of a step that gets no lock, and the pause between them: about a minute in all. */
const TRIES = 15;
const PAUSE_MS = 1_000;

/** SQLSTATE lock_not_available. */
const NO_LOCK = '55P03';

/** Runs the work of a migration again while it gets no lock, for about a minute. */
export const untilLocked = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  for (let tries = TRIES; ; tries -= 1) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== NO_LOCK) throw error;
      if (tries === 1)
        throw new Error(
          'a table is in use for too long, so this step has changed nothing: end the transaction that holds it ' +
            '(SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start), and run carat migrate again',
          { cause: error },
        );
      await delay(PAUSE_MS);
    }
  }
};
