import { setTimeout as delay } from 'node:timers/promises';
import { CaratError } from '../../client/carat-error.ts';

/** A final failure, which is not retried. */
export class Final extends Error {}

/** Timeout of each wait of the demo, in milliseconds: longer than a restart of any part. */
const patience = 120_000;

/**
 * Retries work until it succeeds, because a part of the stack may be restarting. Final failures are not retried.
 * @throws the last error, after the timeout
 */
export const patiently = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
  const deadline = Date.now() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isRefusal = error instanceof CaratError && error.status >= 400 && error.status < 500;
      if (error instanceof Final || isRefusal) throw error;
      if (Date.now() > deadline) throw new Error(`${what}: not within ${patience / 1000} s`, { cause: error });
    }
    await delay(250);
  }
};

/** Polls until the result is not null. */
export const until = <Result>(what: string, ask: () => Promise<Result | null>): Promise<Result> =>
  patiently(what, async () => {
    const result = await ask();
    if (result === null) throw new Error(`${what}: not yet`);
    return result;
  });
