import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 10_000;

/** A function of a text that remembers what it has made; for hashes that are asked for again and again. */
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
