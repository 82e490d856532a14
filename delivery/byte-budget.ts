/** How many bytes may be held: by all owners together, and by one. */
export interface ByteBudgetLimits {
  readonly inAll: number;
  readonly ofOne: number;
}

/** A byte budget that several owners share. */
export interface ByteBudget {
  /** Resolves when there is room. A request above an owner's limit is cut to the limit, so that it can succeed. */
  take(owner: string, bytes: number): Promise<void>;
  giveBack(owner: string, bytes: number): void;
}

interface Waiting {
  readonly owner: string;
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * Serves the waiting request whose owner holds the fewest bytes first; smaller requests do not overtake it. An owner gets no
 * more than is free for others, so that owners that hold much always leave some to those that hold little.
 */
export const createByteBudget = ({ inAll, ofOne }: ByteBudgetLimits): ByteBudget => {
  const held = new Map<string, number>();
  const waiting: Waiting[] = [];
  let total = 0;
  const heldBy = (owner: string): number => held.get(owner) ?? 0;
  const sizeOf = (bytes: number): number => Math.min(bytes, ofOne);

  const next = (): Waiting | undefined => {
    let first: Waiting | undefined;
    for (const one of waiting) {
      const fits = heldBy(one.owner) + one.bytes <= ofOne;
      if (fits && (first === undefined || heldBy(one.owner) < heldBy(first.owner))) first = one;
    }
    return first !== undefined && heldBy(first.owner) + first.bytes <= inAll - total ? first : undefined;
  };

  const proceed = (): void => {
    for (let one = next(); one !== undefined; one = next()) {
      waiting.splice(waiting.indexOf(one), 1);
      held.set(one.owner, heldBy(one.owner) + one.bytes);
      total += one.bytes;
      one.begin();
    }
  };

  return {
    take: (owner, bytes) =>
      new Promise((resolve) => {
        waiting.push({ owner, bytes: sizeOf(bytes), begin: resolve });
        proceed();
      }),
    giveBack: (owner, bytes) => {
      const left = heldBy(owner) - sizeOf(bytes);
      if (left > 0) held.set(owner, left);
      else held.delete(owner);
      total -= sizeOf(bytes);
      proceed();
    },
  };
};
