import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../domain/ports/log.ts';

/** Milliseconds for which a process that starts tries to get a connection, and between two tries. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 500;

/** True when the pool gave no connection in time: none was free, or the driver could not open one. */
const isLate = ({ name, message }: Error): boolean => name === 'KnexTimeoutError' || message === 'timeout expired';

/** Runs a step of a start. */
export type Patience = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Runs steps of a start again while the database gives them no connection in time, as on a busy machine: half a minute for all of them
 * together. A step may run twice without harm. Every other failure ends the start at once.
 * @param signal ends the wait
 */
export const createPatience = (log: Log, signal?: AbortSignal): Patience => {
  const until = performance.now() + PATIENCE_MS;
  return async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isLate(error as Error) || performance.now() >= until) throw error;
        log.warn('The database has not given a connection in time; the start goes on trying');
        await delay(PAUSE_MS, undefined, { signal });
      }
    }
  };
};
