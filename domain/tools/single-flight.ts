/** What a caller gets that asks while a run is under way: what that run gives, or what the next one gives. */
export type LateCallers = 'join' | 'next';

/**
 * Makes the runs of one thing one at a time for each key, however many ask for it. With `join`, all who ask during a run
 * share it. With `next`, all who ask during a run share the one after it, and all who ask in one turn of the event loop
 * share the first: what anybody gets was begun after they asked.
 * @param run the work; its keys are compared by their JSON
 */
export const createSingleFlight = <Value, Key = void>(
  run: (key: Key) => Promise<Value>,
  { late }: { readonly late: LateCallers },
): ((key: Key) => Promise<Value>) => {
  /** What a caller may still share, by key: until it ends (`join`) or until it begins (`next`). */
  const open = new Map<unknown, Promise<Value>>();
  /** When what is under way will have ended, well or not. */
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
