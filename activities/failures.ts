import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { safeText } from '../domain/tools/safe-text.ts';

/**
 * The one place that decides whether a failure goes away by itself. Nearly all do: a database, an endpoint or a server
 * comes back, and a defect is mended by the next release while the workflow waits. What is final in the business (a step
 * that can not be done) is no failure but an answer.
 */
const forGood: ReadonlySet<string> = new Set(['UnknownRecordError']);

/**
 * Failures that are no line of the log at each try: another run took over, which is how hand-over works; or the worker has not the
 * key of a lane, which the alert `key_missing` tells once for as long as it lasts.
 */
const quiet: ReadonlySet<string> = new Set(['LeaseLostError', 'KeystoreError']);

/** What was asked for names a row that does not exist, so no repetition can help. */
export class UnknownRecordError extends Error {
  override readonly name = 'UnknownRecordError';
}

/** Histories are kept for weeks and read by many. */
const MAX_TEXT = 500;

/** The failure as it goes into the workflow's history, without stack, cause or secrets. */
export const toFailure = (error: unknown): Error => {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const { name, message, code } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { name: 'Error', message: String(error), code: null };
  const failure = ApplicationFailure.create({
    type: name,
    message: safeText(typeof code === 'string' && code !== '' ? `${message} (${code})` : message, MAX_TEXT),
    nonRetryable: forGood.has(name),
    category: quiet.has(name) ? 'BENIGN' : undefined,
  });
  failure.stack = `${name}: ${failure.message}`;
  return failure;
};

type Activity = (...args: never[]) => Promise<unknown>;

/** Gives every activity of a record the failures of `toFailure`. */
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
