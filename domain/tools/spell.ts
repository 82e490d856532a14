/** A trouble that is met again and again while it lasts, and is told of when it begins and when it ends. */
export interface Spell {
  /** Runs `tell` unless the trouble has begun already. */
  begins(tell: () => void): void;
  /** Runs `tell` if the trouble had begun. */
  ends(tell: () => void): void;
}

/** Creates a trouble that has not begun. */
export const createSpell = (): Spell => {
  let lasts = false;
  return {
    begins: (tell) => {
      if (!lasts) tell();
      lasts = true;
    },
    ends: (tell) => {
      if (lasts) tell();
      lasts = false;
    },
  };
};
