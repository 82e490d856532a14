/** The rate limit of one owner. */
export interface PaceLimits {
  readonly bytesPerSecond: number;
  /** Bytes that an idle owner may send at once. */
  readonly burst: number;
  /** Bytes that every turn counts beside its own, because an empty one is work too. */
  readonly ofEach: number;
  /** Waits end at multiples of this, in milliseconds, so that several turns share one read and one send. */
  readonly tickMs: number;
}

export interface Pace {
  /** Waits until the owner may send again. `bytes` is the size, as far as it is known. */
  turn(owner: string, bytes: number): Promise<void>;
  /** Counts bytes that were unknown at the turn. Later turns wait for them. */
  count(owner: string, bytes: number): void;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Number of owners above which idle ones are evicted. */
const REMEMBERED = 1_000;

/**
 * Limits the bytes that each owner sends per second. The turns of an owner keep their order.
 * @param clock a monotonic clock in milliseconds, and its timer
 */
export const createPace = (
  { bytesPerSecond, burst, ofEach, tickMs }: PaceLimits,
  clock: { now(): number; wait(ms: number): Promise<unknown> } = { now: () => performance.now(), wait: pause },
): Pace => {
  /** The time at which everything requested for an owner would be sent, if bursts were not allowed. */
  const sentAt = new Map<string, number>();
  const burstMs = (burst * 1_000) / bytesPerSecond;
  const forget = (now: number): void => {
    if (sentAt.size <= REMEMBERED) return;
    for (const [owner, at] of sentAt) if (at <= now) sentAt.delete(owner);
  };

  /** Counts bytes. Returns the milliseconds until all of them would be sent. */
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
