/**
 * Reads of one thing that are asked for at once, or while it is read already, are made together: one now, one more for all
 * who came meanwhile. What anybody gets was read after they asked.
 */
export const createSingleFlight = <Key, Value>(read: (key: Key) => Promise<Value>): ((key: Key) => Promise<Value>) => {
  /** What has not begun yet, by key: whoever comes may still join. */
  const planned = new Map<string, Promise<Value>>();
  /** When what is under way will be done, well or not. */
  const running = new Map<string, Promise<unknown>>();

  const begin = (name: string, key: Key): Promise<Value> => {
    planned.delete(name);
    const value = read(key);
    const done = value.then(
      () => {},
      () => {},
    );
    running.set(name, done);
    void done.then(() => {
      if (running.get(name) === done) running.delete(name);
    });
    return value;
  };

  const plan = async (name: string, key: Key): Promise<Value> => {
    await (running.get(name) ?? new Promise(setImmediate));
    return begin(name, key);
  };

  return (key) => {
    const name = JSON.stringify(key);
    const joined = planned.get(name) ?? plan(name, key);
    planned.set(name, joined);
    return joined;
  };
};
