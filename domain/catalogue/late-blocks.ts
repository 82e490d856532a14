/** Blocks of a network after whose time the next one is missed. */
export const MISSED_BLOCKS = 10;
/** Milliseconds that a block may take in any case. */
const LEAST_MS = 15_000;

/** The age of a network's newest block, in milliseconds, beyond which it is late. */
export const lateAfterMs = (blockTimeMs: number): number => Math.max(LEAST_MS, MISSED_BLOCKS * blockTimeMs);
