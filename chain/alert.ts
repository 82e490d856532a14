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

/** Tells operators of alerts that were written, each in a line of the log; a repeated one is not among them. */
export const logAlerts = (
  { network, log }: Pick<AlertingRun, 'network' | 'log'>,
  raised: readonly RaisedAlert[],
): void => {
  for (const { kind, message, data } of raised) log.warn(message, { alert: kind, network: network.name, ...data });
};

/** The end of the key of an alert that is raised once an hour, as long as it lasts. */
export const thisHour = (): string => new Date().toISOString().slice(0, 13);

/** Raises an alert, and tells of it unless it was raised before. */
export const raiseAlert = async (run: AlertingRun, alert: Alert): Promise<void> =>
  logAlerts(run, await run.store.alert(run.lease, alert));
