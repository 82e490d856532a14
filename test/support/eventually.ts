import { setTimeout as delay } from 'node:timers/promises';

/** A deadline only ends tests that hang. On a machine ten times slower than usual, the same tests pass. */
const SLOWER = 10;

/**
 * Asks again and again until the answer is neither undefined, null nor false, and gives it back.
 *
 * @param ask the question; an error counts as "not yet"
 * @param ms milliseconds that suffice on two usual cores, default 15,000; the deadline is ten times that
 * @param everyMs pause between questions in milliseconds; longer where a question costs the product something
 * @throws Error with the last answer or error when the deadline passes
 */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  ms = 15_000,
  everyMs = 25,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + ms * SLOWER;
  let last: unknown;
  do {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false)
        return answer as Exclude<T, undefined | null | false>;
      last = answer;
    } catch (error) {
      last = error;
    }
    await delay(everyMs);
  } while (performance.now() < deadline);
  throw new Error(`not so after ${ms * SLOWER} ms; last: ${String(last)}`, { cause: last });
}
