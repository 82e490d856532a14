import type { Observed, RaisedAlert } from '../ports/alert.ts';
import type { Log } from '../ports/log.ts';

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
