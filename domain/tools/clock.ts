/** Milliseconds by which a clock may differ from the database's before tokens, offers and expiries suffer. */
export const CLOCK_WRONG_MS = 30_000;
