/**
 * Makes a repeated look at something safe to ask for at any time: one run is under way at most, and who asks meanwhile
 * gets another one after it.
 * @param round does a piece of work and answers whether there may be more
 */
export const createSweep = (round: () => Promise<boolean>): (() => Promise<void>) => {
  let running = false;
  let asked = false;
  return async () => {
    asked = true;
    if (running) return;
    running = true;
    try {
      while (asked) {
        asked = false;
        while (await round());
      }
    } finally {
      running = false;
    }
  };
};
