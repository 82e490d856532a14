import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { safeText } from '../domain/tools/safe-text.ts';
import type { ChainRun } from '../domain/ports/chain-run.ts';

/**
 * The failures that no retry can cure. Nearly all others go away: a database, an endpoint or a server comes back, and the
 * next version repairs a defect while the workflow waits. A final outcome, such as a step that cannot be done, is a result
 * and no failure.
 */
const permanent: ReadonlySet<string> = new Set(['UnknownRecordError']);

/**
 * Failures that are not logged at each try: another run took over the lease, which is normal; or the worker lacks the key of a
 * lane, which the alert `key_missing` reports once.
 */
const quiet: ReadonlySet<string> = new Set(['LeaseLostError', 'KeystoreError']);

/** The request names a row that does not exist, so no retry can help. */
export class UnknownRecordError extends Error {
  override readonly name = 'UnknownRecordError';
}

/** Characters of a message in a history, which is kept for weeks and read by many. */
const MAX_TEXT = 500;

/** The reason of an error. Knex puts the statement before the database's message, and the statement is long. */
const reasonOf = (message: string, code: unknown): string => {
  if (typeof code !== 'string' || code === '') return message;
  const isSqlState = /^[0-9A-Z]{5}$/.test(code);
  return `${isSqlState ? message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '') : message} (${code})`;
};

/** Makes the failure of the workflow's history: without stack, cause or secrets. */
export const toFailure = (error: unknown): Error => {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const { name, message, code } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { name: 'Error', message: String(error), code: null };
  const failure = ApplicationFailure.create({
    type: name,
    message: safeText(reasonOf(message, code), MAX_TEXT),
    nonRetryable: permanent.has(name),
    category: quiet.has(name) ? 'BENIGN' : undefined,
  });
  failure.stack = `${name}: ${failure.message}`;
  return failure;
};

type Activity = (...args: never[]) => Promise<unknown>;

/** Wraps every activity of a record so that it throws the failures of `toFailure`. */
export const withFailures = <Activities extends Record<keyof Activities, Activity>>(
  activities: Activities,
): Activities => {
  const guarded = Object.entries<Activity>(activities).map(([name, run]) => [
    name,
    async (...args: never[]) => {
      try {
        return await run(...args);
      } catch (error) {
        throw toFailure(error);
      }
    },
  ]);
  return Object.fromEntries(guarded) as Activities;
};

/** Milliseconds for one step: longer than a statement, or requests to five endpoints one after another, may take. */
const STEP_MS = 60_000;

/** The process lives, but the work has taken no step for too long. */
export class HungError extends Error {
  override readonly name = 'HungError';
}

/**
 * Runs work that calls `heartbeat` at each of its steps, and sends heartbeats to the server while the steps go on. The
 * details are shown beside the running activity. The activity fails after `stepMs` without a step; a frozen or dead process
 * sends nothing. Either way another run takes over. `signal` aborts when the server has given the activity to another
 * worker, or the worker stops.
 * @throws HungError
 */
export const withHeartbeat = async <Result>(
  work: (run: Pick<ChainRun, 'signal' | 'heartbeat'>) => Promise<Result>,
  stepMs = STEP_MS,
): Promise<Result> => {
  const context = Context.current();
  const timeoutMs = context.info.heartbeatTimeoutMs ?? 10_000;
  const givenUp = new AbortController();
  let latest = performance.now();
  let seen = {};
  const heartbeat: ChainRun['heartbeat'] = (details) => {
    latest = performance.now();
    if (details !== undefined) seen = { ...seen, ...details };
  };
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      const silentMs = performance.now() - latest;
      if (silentMs < stepMs) return context.heartbeat(seen);
      givenUp.abort();
      reject(new HungError(`There was no step for ${Math.round(silentMs)} ms`));
    }, timeoutMs / 4);
  });
  try {
    return await Promise.race([
      work({ signal: AbortSignal.any([context.cancellationSignal, givenUp.signal]), heartbeat }),
      hung,
    ]);
  } finally {
    clearInterval(timer);
  }
};

/** Runs work with heartbeats for `runMs` milliseconds, or until `stopping` aborts. */
export const createRunFor =
  (stopping: AbortSignal) =>
  <Result>(runMs: number, work: (run: ChainRun) => Promise<Result>): Promise<Result> =>
    withHeartbeat(({ signal, heartbeat }) =>
      work({ signal: AbortSignal.any([signal, stopping]), heartbeat, deadlineMs: performance.now() + runMs }),
    );
