import type { Observed, RaisedAlert, ConditionAlert, Looked } from '../ports/alert.ts';
import type { Log } from '../ports/log.ts';
import { steadyClock } from './clock.ts';

/** The log, and the network of the alerts. */
export interface AlertContext {
  readonly network?: { readonly name: string };
  readonly log: Log;
}

/** Logs each new alert. Repeated alerts are not in `raised`. */
export const logAlerts = ({ network, log }: AlertContext, raised: readonly RaisedAlert[]): void => {
  for (const { kind, message, data } of raised) log.warn(message, { alert: kind, ...named(network), ...data });
};

/** Logs each condition that is over. */
export const logOver = ({ network, log }: AlertContext, over: readonly RaisedAlert[]): void => {
  for (const { kind, message, data } of over) log.info(`Over: ${message}`, { alert: kind, ...named(network), ...data });
};

/** Logs what an observation has changed. */
export const logObserved = (place: AlertContext, { raised, over }: Observed): void => {
  logAlerts(place, raised);
  logOver(place, over);
};

const named = (network: AlertContext['network']): object => (network === undefined ? {} : { network: network.name });

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
