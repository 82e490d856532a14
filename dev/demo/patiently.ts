import { setTimeout as delay } from 'node:timers/promises';
import { CaratError } from '../../client/carat-error.ts';

/** Refused, or over: no repetition helps. */
export class Final extends Error {}

/** How long the demo waits for any one thing, in milliseconds: longer than a restart of any part. */
const patience = 120_000;

/**
 * Does it again until it gets through: a part of the stack may be restarting. What is final is not repeated.
 * @throws the last error, when time is up
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

/** Asks until the answer is there. */
export const until = <Answer>(what: string, ask: () => Promise<Answer | null>): Promise<Answer> =>
  patiently(what, async () => {
    const answer = await ask();
    if (answer === null) throw new Error(`${what}: not yet`);
    return answer;
  });
