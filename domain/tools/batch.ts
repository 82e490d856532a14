/** How single calls are combined to batches. */
export interface BatchOptions<Item, Result> {
  /** Processes many items and returns their results in order. A rejection rejects all calls of the batch. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxItems: number;
  /** Milliseconds that a batch waits for the end of the previous one while it collects items. Default: no wait. */
  readonly patienceMs?: number;
  /** Most concurrent batches. With `patienceMs`, a second one starts only after that time, such as when one waits for a lock. */
  readonly maxBatches?: number;
}

/** Combines the calls of one turn of the event loop, from all connections, to a batch. */
export const createBatch = <Item, Result>(options: BatchOptions<Item, Result>): ((item: Item) => Promise<Result>) => {
  const { run, maxItems, patienceMs, maxBatches = Infinity } = options;
  const waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let running = 0;
  let isPlanned = false;
  /** Timer of the latest batch, while the next one waits for it. */
  let patience: NodeJS.Timeout | undefined;

  const canBegin = (): boolean => patience === undefined && running < maxBatches;

  const begin = (): void => {
    isPlanned = false;
    while (waiting.length > 0 && canBegin()) void runTogether(waiting.splice(0, maxItems));
  };

  const runTogether = async (batch: typeof waiting): Promise<void> => {
    const free = (): void => {
      clearTimeout(timer);
      if (patience === timer) patience = undefined;
      begin();
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(free, patienceMs);
    patience = timer;
    running += 1;
    const [outcome] = await Promise.allSettled([run(batch.map(({ item }) => item))]);
    running -= 1;
    // Starts the next batch before these calls are answered.
    free();
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
