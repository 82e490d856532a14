import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../domain/ports/log.ts';

/** Milliseconds for which a process that starts tries to get a connection, and between two tries. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 500;

/** PostgreSQL's code of a refused connection: all that the server, the database or the role may have are in use. */
const TOO_MANY_CONNECTIONS = '53300';

/** True when the pool gave no connection in time, because none was free or the driver could not open one, or when the server has none left. */
const isBusy = ({ name, message, code }: Error & { readonly code?: unknown }): boolean =>
  name === 'KnexTimeoutError' || message === 'timeout expired' || code === TOO_MANY_CONNECTIONS;

/** Runs a step of a start. */
export type Patience = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Runs steps of a start again while the database gives them no connection, as on a busy machine or beside the processes of the version before:
 * half a minute for all of them together. A step may run twice without harm. Every other failure ends the start at once.
 * @param signal ends the wait
 */
export const createPatience = (log: Log, signal?: AbortSignal): Patience => {
  const until = performance.now() + PATIENCE_MS;
  return async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error as Error) || performance.now() >= until) throw error;
        log.warn('The database has given no connection; the start goes on trying');
        await delay(PAUSE_MS, undefined, { signal });
      }
    }
  };
};
