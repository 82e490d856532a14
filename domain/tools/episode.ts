/** A lasting problem that is detected repeatedly, but reported only when it begins and when it ends. */
export interface Episode {
  /** Runs `tell` unless the problem has begun already with the same `which`. */
  begins(tell: () => void, which?: string): void;
  /** Runs `tell` if the problem had begun. */
  ends(tell: () => void): void;
}

/** Creates a problem that has not begun. */
export const createEpisode = (): Episode => {
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
export interface Episodes {
  begins(what: string, tell: () => void): void;
  ends(what: string, tell: () => void): void;
}

/**
 * Creates problems that have not begun.
 * @param most number of remembered problems, because some never end. At that number all are forgotten, and reported again
 */
export const createEpisodes = (most = 10_000): Episodes => {
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
