/** A lasting problem that is detected repeatedly, but reported only when it begins and when it ends. */
export interface Spell {
  /** Runs `tell` unless the problem has begun already with the same `which`. */
  begins(tell: () => void, which?: string): void;
  /** Runs `tell` if the problem had begun. */
  ends(tell: () => void): void;
}

/** Creates a problem that has not begun. */
export const createSpell = (): Spell => {
  let lasting: string | null = null;
  return {
    begins: (tell, which = '') => {
      if (lasting !== which) tell();
      lasting = which;
    },
    ends: (tell) => {
      if (lasting !== null) tell();
      lasting = null;
    },
  };
};

/** Lasting problems of many things, by the name of each. */
export interface Spells {
  begins(what: string, tell: () => void): void;
  ends(what: string, tell: () => void): void;
}

/**
 * Creates problems that have not begun.
 * @param most number of remembered problems, because some never end. At that number all are forgotten, and reported again
 */
export const createSpells = (most = 10_000): Spells => {
  const lasting = new Set<string>();
  return {
    begins: (what, tell) => {
      if (lasting.has(what)) return;
      if (lasting.size >= most) lasting.clear();
      lasting.add(what);
      tell();
    },
    ends: (what, tell) => {
      if (lasting.delete(what)) tell();
    },
  };
};
