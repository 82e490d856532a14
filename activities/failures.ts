import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { safeText } from '../domain/tools/safe-text.ts';

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
