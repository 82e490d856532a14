/** Runs work with limited concurrency; the rest waits in order of arrival. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** @param most number of pieces of work in flight at once */
export const createGate = (most: number): Gate => {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (underWay < most) underWay += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
};
