import type { Knex } from 'knex';
import type { Log } from '../../domain/ports/log.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import { errorName } from '../../domain/tools/error-name.ts';
import { createSpells } from '../../domain/tools/spell.ts';
import { succeeds } from '../../domain/tools/succeeds.ts';
import type { RunningProcess } from '../processes/processes.ts';
import { endCondition, insertAlerts, runAlerts, toRaised } from './alerts.ts';

/** Failures in a row before an alert is raised. */
const PATIENCE = 3;

const failing = insertAlerts(`
SELECT :key::text AS key, 'chore_failing' AS kind, NULL::uuid AS network_id, NULL::uuid AS payment_id, NULL::uuid AS node_id,
  NULL::uuid AS webhook_id, 'The chore ' || :chore::text || ' of the ' || :kind::text || ' ' || :name::text || ' fails repeatedly' AS message,
  jsonb_build_object('process', :name::text, 'kind', :kind::text, 'chore', :chore::text, 'error', :error::text) AS data`);

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
  /** Failures in a row, by chore. A chore is missing before its first run; an earlier process may have left its alert open. */
  const failures = new Map<string, number>();
  const keyOf = (chore: string): string => `chore_failing:${name}:${chore}`;
  return {
    failed: async (chore, error) => {
      if (!(await succeeds(knex.raw('SELECT 1')))) return;
      const count = (failures.get(chore) ?? 0) + 1;
      failures.set(chore, count);
      if (count < PATIENCE) return;
      const bindings = { key: keyOf(chore), kind, name, chore, error: errorName(error) };
      logAlerts({ log }, (await runAlerts(knex, failing, bindings).catch(() => [])).map(toRaised));
    },
    worked: async (chore) => {
      if (failures.get(chore) === 0) return;
      logOver({ log }, await endCondition(knex, keyOf(chore)));
      failures.set(chore, 0);
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
  const troubles = createSpells();
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
