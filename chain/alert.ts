import type { Alert, RaisedAlert } from '../domain/ports/alert.ts';
import type { Lease } from '../domain/ports/lease.ts';
import type { Log } from '../domain/ports/log.ts';

/** A run of a lane or a watcher, as far as it raises alerts. */
interface AlertingRun {
  readonly store: { alert(lease: Lease, alert: Alert): Promise<RaisedAlert[]> };
  readonly lease: Lease;
  readonly network: { readonly name: string };
  readonly log: Log;
}

/** Where lines of the log are told from. */
interface Place {
  /** Where it is about one. */
  readonly network?: { readonly name: string };
  readonly log: Log;
}

/** Tells operators of alerts that were written, each in a line of the log; a repeated one is not among them. */
export const logAlerts = ({ network, log }: Place, raised: readonly RaisedAlert[]): void => {
  for (const { kind, message, data } of raised) log.warn(message, { alert: kind, ...named(network), ...data });
};

/** The same of conditions that are over. */
export const logOver = ({ network, log }: Place, over: readonly RaisedAlert[]): void => {
  for (const { kind, message, data } of over) log.info(`Over: ${message}`, { alert: kind, ...named(network), ...data });
};

const named = (network: Place['network']): object => (network === undefined ? {} : { network: network.name });

/** Raises an alert, and tells of it unless it was raised before. */
export const raiseAlert = async (run: AlertingRun, alert: Alert): Promise<void> =>
  logAlerts(run, await run.store.alert(run.lease, alert));
