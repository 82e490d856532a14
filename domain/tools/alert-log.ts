import type { RaisedAlert } from '../ports/alert.ts';
import type { Log } from '../ports/log.ts';

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
