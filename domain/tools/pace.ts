/** How fast bytes may be sent for one owner. */
export interface PaceLimits {
  readonly bytesPerSecond: number;
  /** What may be sent at once after a rest. */
  readonly burst: number;
  /** What a turn counts for beside its bytes: an empty one is work, too. */
  readonly ofEach: number;
  /**
   * Who has to wait goes on at the next of such instants, in milliseconds, together with others: a few that are read and
   * sent at once cost little more than one.
   */
  readonly tickMs: number;
}

export interface Pace {
  /** Waits until the owner may send once more, so many bytes as are known of. */
  turn(owner: string, bytes: number): Promise<void>;
  /** Counts bytes that were not known of when the turn came; those that come after it wait for them. */
  count(owner: string, bytes: number): void;
}

/** Milliseconds by the timer of the process. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Owners that are remembered, whether they rest or not, before those that rest are forgotten. */
const REMEMBERED = 1_000;

/**
 * Lets each owner send so much a second, in the order in which it asks.
 * @param clock milliseconds on a clock that is never set, and what waits for some of them
 */
export const createPace = (
  { bytesPerSecond, burst, ofEach, tickMs }: PaceLimits,
  clock: { now(): number; wait(ms: number): Promise<unknown> } = { now: () => performance.now(), wait: pause },
): Pace => {
  /** When all that an owner has asked for would be sent without a burst. */
  const sentAt = new Map<string, number>();
  const burstMs = (burst * 1_000) / bytesPerSecond;
  const forget = (now: number): void => {
    if (sentAt.size <= REMEMBERED) return;
    for (const [owner, at] of sentAt) if (at <= now) sentAt.delete(owner);
  };

  /** Answers the milliseconds until it is all sent. */
  const add = (owner: string, bytes: number): number => {
    const now = clock.now();
    const at = Math.max(now, sentAt.get(owner) ?? now) + (bytes * 1_000) / bytesPerSecond;
    sentAt.set(owner, at);
    forget(now);
    return at - now;
  };

  return {
    turn: async (owner, bytes) => {
      const ms = add(owner, bytes + ofEach) - burstMs;
      if (ms <= 0) return;
      const now = clock.now();
      await clock.wait(Math.ceil((now + ms) / tickMs) * tickMs - now);
    },
    count: (owner, bytes) => void add(owner, bytes),
  };
};
