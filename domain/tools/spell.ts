/** A trouble that is met again and again while it lasts, and is told of when it begins and when it ends. */
export interface Spell {
  /** Runs `tell` unless the trouble has begun already, with the same `which`. */
  begins(tell: () => void, which?: string): void;
  /** Runs `tell` if the trouble had begun. */
  ends(tell: () => void): void;
}

/** Creates a trouble that has not begun. */
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

/** Troubles of many things at once, by what each is called. */
export interface Spells {
  begins(what: string, tell: () => void): void;
  ends(what: string, tell: () => void): void;
}

/** @param most that are remembered: some never end, because nobody wants what they are of any more. Beyond it each is told of once more */
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
