import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../domain/ports/log.ts';

interface DatabaseError {
  code?: unknown;
  constraint?: unknown;
}

const isViolation = (error: unknown, code: string, constraint: string): boolean => {
  const violation = error as DatabaseError;
  return violation.code === code && violation.constraint === constraint;
};

/** True for a violation of the unique constraint or index of this name. */
export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  isViolation(error, '23505', constraint);

/** True for a violation of the check, or checking trigger, of this name. */
export const isCheckViolation = (error: unknown, constraint: string): boolean =>
  isViolation(error, '23514', constraint);

/** More deadlocks in a row are a defect, not chance. */
const MAX_RUNS = 3;

/**
 * Retries a transaction that the database rolled back to end a deadlock (PostgreSQL, Appendix A: 40P01). Retries at once,
 * because the other transaction has gone on meanwhile.
 * @param transact opens a new transaction on each call, and has no effect outside it
 */
export const againAfterDeadlock = async <Result>(transact: () => Promise<Result>): Promise<Result> => {
  for (let run = 1; ; run += 1) {
    try {
      return await transact();
    } catch (error) {
      if (run === MAX_RUNS || (error as { code?: unknown }).code !== '40P01') throw error;
    }
  }
};

/** Tries of a step that gets no lock, and the pause between them: about a minute in all. */
const LOCK_TRIES = 15;
const LOCK_PAUSE_MS = 1_000;

/** SQLSTATE lock_not_available. */
const NO_LOCK = '55P03';

/** Runs the work of a migration again while it gets no lock, for about a minute. */
export const untilLocked = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  for (let tries = LOCK_TRIES; ; tries -= 1) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== NO_LOCK) throw error;
      if (tries === 1)
        throw new Error(
          'a table is in use for too long, so this step has changed nothing: end the transaction that holds it ' +
            '(SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start), and run carat migrate again',
          { cause: error },
        );
      await delay(LOCK_PAUSE_MS);
    }
  }
};

/** Milliseconds for which a process that starts tries to get a connection, and between two tries. */
const START_MS = 30_000;
const START_PAUSE_MS = 500;

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
  const until = performance.now() + START_MS;
  return async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error as Error) || performance.now() >= until) throw error;
        log.warn('The database has given no connection; the start goes on trying');
        await delay(START_PAUSE_MS, undefined, { signal });
      }
    }
  };
};
