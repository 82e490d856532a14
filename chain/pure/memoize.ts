import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 10_000;

/** Caches the results of a function of a text, for hashes that are needed repeatedly. */
export const memoize = (make: (key: string) => string): ((key: string) => string) => {
  const known = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
};
