import type { Alert, RaisedAlert } from '../domain/ports/alert.ts';
import type { Lease } from '../domain/ports/lease.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts } from '../domain/tools/observer.ts';

/** The parts of a lane's or watcher's run that raising alerts needs. */
export interface AlertingRun {
  readonly store: { alert(lease: Lease, alert: Alert): Promise<RaisedAlert[]> };
  readonly lease: Lease;
  readonly network: { readonly name: string };
  readonly log: Log;
}

/** Raises an alert, and logs it unless it was raised before. */
export const raiseAlert = async (run: AlertingRun, alert: Alert): Promise<void> =>
  logAlerts(run, await run.store.alert(run.lease, alert));
