import type { ConditionAlert, Looked, Observed } from '../ports/alert.ts';
import { logObserved, type AlertContext } from './alert-log.ts';
import { steadyClock } from './clock.ts';

/** Takes what was seen: of the looked at conditions those in `holding` hold, and all others do not. */
export type Observer = (looked: Looked, holding: readonly ConditionAlert[]) => Promise<void>;

/** A person may close the alert of a condition that still holds, so it is written again after so many milliseconds. */
const AGAIN_MS = 10_000;

/** The part of an alert whose change is written. */
const seen = ({ refreshes = false, ...alert }: ConditionAlert): unknown =>
  refreshes ? alert : [alert.subject, alert.cause];

/**
 * Creates the observer of a process or a run, which writes and logs changes. The first observation is always written, because an
 * earlier process may have left an alert open. The conditions must have no other observer at the same time: nobody would end its alert.
 */
export const createObserver = (
  write: (looked: Looked, holding: readonly ConditionAlert[]) => Promise<Observed>,
  place: AlertContext,
): Observer => {
  const written = new Map<string, { readonly set: string; readonly at: number }>();
  return async (looked, holding) => {
    const scope = JSON.stringify(looked);
    const set = JSON.stringify(holding.map(seen));
    const before = written.get(scope);
    if (before?.set === set && (holding.length === 0 || steadyClock.now() - before.at < AGAIN_MS)) return;
    // What fails may have been written.
    written.delete(scope);
    logObserved(place, await write(looked, holding));
    written.set(scope, { set, at: steadyClock.now() });
  };
};
