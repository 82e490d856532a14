/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** An integer from 0 to below the bound. */
  below(bound: number): number;
  /** True with a probability from 0 to 1. */
  chance(probability: number): boolean;
  /** One of the entries. */
  pick<Entry>(entries: readonly Entry[]): Entry;
  /** A UUID of version 4. */
  uuid(): string;
}

/** The generator mulberry32. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (entries) => {
      if (entries.length === 0) throw new Error('there is nothing to pick from');
      return entries[below(entries.length)]!;
    },
    uuid: () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => below(16).toString(16)),
  };
};
