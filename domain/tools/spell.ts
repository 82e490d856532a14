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
