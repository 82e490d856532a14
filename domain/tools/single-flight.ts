/** Whether a call during a run shares that run or the next one. */
export type LateCallers = 'join' | 'next';

/**
 * Deduplicates concurrent calls: at most one run per key at a time. With `join`, calls during a run share it. With `next`,
 * calls during a run share the following one, and calls in one turn of the event loop share the first; every result is from
 * a run that began after its call.
 * @param run the work; its keys are compared by their JSON
 */
export const createSingleFlight = <Value, Key = void>(
  run: (key: Key) => Promise<Value>,
  { late }: { readonly late: LateCallers },
): ((key: Key) => Promise<Value>) => {
  /** Runs that new calls may share, by key: until the run ends (`join`) or begins (`next`). */
  const open = new Map<unknown, Promise<Value>>();
  /** Resolves when the run under way has settled, by key. */
  const underWay = new Map<unknown, Promise<unknown>>();

  const begin = {
    join: (name: unknown, key: Key): Promise<Value> => run(key).finally(() => open.delete(name)),
    next: async (name: unknown, key: Key): Promise<Value> => {
      await (underWay.get(name) ?? new Promise(setImmediate));
      open.delete(name);
      const value = run(key);
      underWay.set(
        name,
        Promise.allSettled([value]).then(() => underWay.delete(name)),
      );
      return value;
    },
  }[late];

  return (key) => {
    const name = typeof key === 'object' ? JSON.stringify(key) : key;
    const shared = open.get(name) ?? begin(name, key);
    open.set(name, shared);
    return shared;
  };
};
