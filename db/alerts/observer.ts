import type { Knex } from 'knex';
import type { ConditionAlert } from '../../domain/ports/alert.ts';
import type { Log } from '../../domain/ports/log.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import { observe, type Looked } from './alerts.ts';

/** Writes and logs what one process observes. */
export type Observer = (looked: Looked, holding: readonly ConditionAlert[]) => Promise<void>;

/**
 * Creates the observer of a process. An observation in which nothing holds is written once: at first, because an earlier process may
 * have left an alert open, and after one that held. One that holds is written each time, because a person may have closed its alert.
 */
export const createObserver = (
  knex: Knex,
  place: { readonly network?: { readonly name: string }; readonly log: Log },
): Observer => {
  const quiet = new Set<string>();
  return async (looked, holding) => {
    const scope = JSON.stringify(looked);
    if (holding.length === 0 && quiet.has(scope)) return;
    const { raised, over } = await observe(knex, looked, holding);
    logAlerts(place, raised);
    logOver(place, over);
    if (holding.length === 0) quiet.add(scope);
    else quiet.delete(scope);
  };
};
