import type { Random } from './random.ts';

/** How many ids of one kind are remembered; older ones are dropped, so that a long run needs no more memory. */
const MAX_REMEMBERED = 40;

/** Existing ids by their resource: `wallet`, `payment`. Requests use them, and answers add to them. */
export interface KnownIds {
  /** `owner`: the id that stands before this one in a path. */
  add(kind: string, id: string, owner?: string): void;
  /** As `add`, and it is never forgotten. */
  keep(kind: string, id: string, owner: string): void;
  /** An id of the kind; where there is none, any id, perhaps one that does not exist. */
  pick(random: Random, kind: string): string;
  ownerOf(id: string): string | undefined;
}

export const createKnownIds = (fixed: Readonly<Record<string, readonly string[]>>): KnownIds => {
  const kept = new Map(Object.entries(fixed));
  const learned = new Map<string, string[]>();
  const owners = new Map<string, string>();
  const of = (kind: string): string[] => [...(kept.get(kind) ?? []), ...(learned.get(kind) ?? [])];
  return {
    add: (kind, id, owner) => {
      const ids = learned.get(kind) ?? [];
      if (ids.length >= MAX_REMEMBERED) owners.delete(ids.shift()!);
      ids.push(id);
      if (owner !== undefined) owners.set(id, owner);
      learned.set(kind, ids);
    },
    keep: (kind, id, owner) => {
      kept.set(kind, [...(kept.get(kind) ?? []), id]);
      owners.set(id, owner);
    },
    pick: (random, kind) => {
      const ids = of(kind);
      if (ids.length > 0 && random.chance(0.95)) return random.pick(ids);
      return random.chance(0.5) ? random.uuid() : random.pick(Object.values(fixed).flat());
    },
    ownerOf: (id) => owners.get(id),
  };
};

/** The resource that an id in a path or a body names: `wallet_id` a wallet, `id` below `/wallets` a wallet too. */
export const kindOf = (name: string, path: string): string => {
  if (name !== 'id') return name.replace(/_id$/, '');
  const before = path.includes('{id}') ? /\/([\w-]+)\/\{id\}/.exec(path) : /\/([\w-]+)$/.exec(path);
  return (before?.[1] ?? '').replace(/ies$/, 'y').replace(/s$/, '');
};
