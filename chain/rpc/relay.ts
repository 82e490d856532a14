import { isPreferred, type Member } from './member.ts';

/** Milliseconds of silence after which another endpoint is asked as well. */
export const PATIENCE_MS = 1_000;

/**
 * Asks endpoints in their order, `atOnce` of them concurrently. The next one is asked when one fails, when all have
 * responded and nothing is decided, and while one is silent, unless only the next one is demoted.
 * @param take receives each response and failure until it returns true; an error that it throws ends the relay
 */
export const relay = <Result>(
  asked: readonly Member[],
  atOnce: number,
  ask: (member: Member) => Promise<Result>,
  take: (said: PromiseSettledResult<Result>, member: Member) => boolean,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const waiting = [...asked];
    let open = 0;
    let isOver = false;

    const settle = (said: PromiseSettledResult<Result>, member: Member): void => {
      open -= 1;
      if (isOver) return;
      try {
        isOver = take(said, member);
      } catch (error) {
        isOver = true;
        reject(error);
      }
      if (!isOver && (said.status === 'rejected' || open === 0)) begin();
      if (isOver || open === 0) resolve();
    };

    const begin = (): void => {
      const member = waiting.shift();
      if (member === undefined) return;
      open += 1;
      const timer = setTimeout(() => {
        if (!isOver && waiting[0] && (isPreferred(waiting[0]) || !isPreferred(member))) begin();
      }, PATIENCE_MS);
      ask(member)
        .then(
          (value): PromiseSettledResult<Result> => ({ status: 'fulfilled', value }),
          (reason: unknown): PromiseSettledResult<Result> => ({ status: 'rejected', reason }),
        )
        .then((said) => {
          clearTimeout(timer);
          settle(said, member);
        }, reject);
    };

    if (asked.length === 0) resolve();
    for (let count = 0; count < atOnce; count += 1) begin();
  });
