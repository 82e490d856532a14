/** How things that are asked for one by one are done together. */
export interface BatchOptions<Item, Result> {
  /** Does many at once and answers in their order; when it fails, all of them have failed. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxItems: number;
  /** How long a batch waits for the end of the one before, and takes along what arrives meanwhile. Without it none waits. */
  readonly patienceMs?: number;
  /** Batches under way at once. More than one only after that time, such as when one waits for a lock. */
  readonly maxBatches?: number;
}

/**
 * Does many things together that are asked for one by one: all that is asked for in one turn of the event loop, also what
 * is read from other connections in it.
 */
export const createBatch = <Item, Result>(options: BatchOptions<Item, Result>): ((item: Item) => Promise<Result>) => {
  const { run, maxItems, patienceMs, maxBatches = Infinity } = options;
  const waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let running = 0;
  let isPlanned = false;
  /** Of the latest batch, while the next one waits for it. */
  let patience: NodeJS.Timeout | undefined;

  const canBegin = (): boolean => patience === undefined && running < maxBatches;

  const begin = (): void => {
    isPlanned = false;
    while (waiting.length > 0 && canBegin()) void runTogether(waiting.splice(0, maxItems));
  };

  const runTogether = async (batch: typeof waiting): Promise<void> => {
    const release = (): void => {
      clearTimeout(timer);
      if (patience === timer) patience = undefined;
      begin();
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(release, patienceMs);
    patience = timer;
    running += 1;
    const [outcome] = await Promise.allSettled([run(batch.map(({ item }) => item))]);
    running -= 1;
    // The next one is on its way before these are answered.
    release();
    for (const [index, { resolve, reject }] of batch.entries()) {
      if (outcome.status === 'fulfilled') resolve(outcome.value[index] as Result);
      else reject(outcome.reason);
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isPlanned || !canBegin()) return;
      isPlanned = true;
      setImmediate(begin);
    });
};
