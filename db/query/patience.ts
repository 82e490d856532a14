import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../domain/ports/log.ts';

/** Milliseconds for which a process that starts tries to get a connection, and between two tries. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 500;

/**
 * Runs steps of a start again while the pool gives them no connection in time, as on a busy machine. A step may run
 * twice without harm. Every other failure ends the start at once.
 */
export const createPatience =
  (log: Log) =>
  async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if ((error as Error).name !== 'KnexTimeoutError' || performance.now() >= until) throw error;
        log.warn('The database has not given a connection in time; the start goes on trying');
        await delay(PAUSE_MS);
      }
    }
  };
