/** Milliseconds by which a clock may differ from the database's before tokens, offers and expiries suffer. */
export const CLOCK_WRONG_MS = 30_000;

/**
 * A clock that only goes forward, in milliseconds from some beginning. No step of the machine's clock moves it, and it stands still while the
 * machine sleeps. Intervals are counted with it; tests move it.
 */
export const steadyClock = { now: (): number => performance.now() };
