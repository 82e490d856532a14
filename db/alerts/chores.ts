import type { Knex } from 'knex';
import type { Log } from '../../domain/ports/log.ts';
import { errorName } from '../../domain/tools/error-name.ts';
import { createEpisodes } from '../../domain/tools/episode.ts';
import { succeeds } from '../../domain/tools/succeeds.ts';
import type { RunningProcess } from '../processes/processes.ts';
import { observerOf } from './alerts.ts';

/** Failures in a row before an alert is raised. */
const PATIENCE = 3;

/** Tracks the outcomes of a process's chores. */
export interface ChoreWatch {
  failed(chore: string, error: unknown): Promise<void>;
  worked(chore: string): Promise<void>;
}

/**
 * Raises an alert for each chore that fails three times in a row in a process, until it works again in the same process or the
 * process is gone. Failures while the database is down are not counted, because they would raise false alerts after it is back.
 */
export const watchChores = (
  knex: Knex,
  { kind, name }: Pick<RunningProcess, 'kind' | 'name'>,
  log: Log,
): ChoreWatch => {
  /** Failures in a row, by chore. */
  const failures = new Map<string, number>();
  const observed = observerOf(knex, log);
  const lookedAt = (chore: string) => ({ kind: 'chore_failing', subject: name, cause: chore }) as const;
  return {
    failed: async (chore, error) => {
      if (!(await succeeds(knex.raw('SELECT 1')))) return;
      const count = (failures.get(chore) ?? 0) + 1;
      failures.set(chore, count);
      if (count < PATIENCE) return;
      const message = `The chore ${chore} of the ${kind} ${name} fails repeatedly`;
      const data = { process: name, kind, chore, error: errorName(error) };
      await observed(lookedAt(chore), [{ ...lookedAt(chore), message, data }]).catch(() => undefined);
    },
    worked: async (chore) => {
      await observed(lookedAt(chore), []);
      failures.delete(chore);
    },
  };
};

/** The outcome of a chore that could not find out whether its work is done: it has neither worked nor failed. */
export const UNKNOWN = 'unknown';

/**
 * Creates the runner of a process's chores, which logs when one begins to fail and when it works again.
 * @returns a function that resolves to false after a failure
 */
export const createChoreRunner = (
  watch: ChoreWatch,
  log: Log,
  words: { readonly works: string; readonly fails: string },
) => {
  const troubles = createEpisodes();
  return async (chore: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      if ((await work()) === UNKNOWN) return true;
      await watch.worked(chore);
      troubles.ends(chore, () => log.info(words.works, { chore }));
      return true;
    } catch (error) {
      troubles.begins(chore, () => log.warn(words.fails, { chore, error: errorName(error) }));
      await watch.failed(chore, error);
      return false;
    }
  };
};
