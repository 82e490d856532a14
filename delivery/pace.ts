import { setTimeout as delay } from 'node:timers/promises';

/** How fast bytes may be sent for one owner. */
export interface PaceLimits {
  readonly bytesPerSecond: number;
  /** What may be sent at once after a rest. */
  readonly burst: number;
  /** What an attempt counts for beside its bytes: an empty one is work, too. */
  readonly ofEach: number;
}

/** Waits until the owner may send so many bytes more. */
export type Pace = (owner: string, bytes: number) => Promise<void>;

/** Owners that are remembered, whether they rest or not, before those that rest are forgotten. */
const REMEMBERED = 1_000;

/**
 * Lets each owner send so much a second, in the order in which it asks.
 * @param clock milliseconds on a clock that is never set, and what waits for some of them
 */
export const createPace = (
  { bytesPerSecond, burst, ofEach }: PaceLimits,
  clock: { now(): number; wait(ms: number): Promise<unknown> } = { now: () => performance.now(), wait: delay },
): Pace => {
  /** When all that an owner has asked for would be sent without a burst. */
  const sentAt = new Map<string, number>();
  const burstMs = (burst * 1_000) / bytesPerSecond;
  const forget = (now: number): void => {
    if (sentAt.size <= REMEMBERED) return;
    for (const [owner, at] of sentAt) if (at <= now) sentAt.delete(owner);
  };

  return async (owner, bytes) => {
    const now = clock.now();
    const at = Math.max(now, sentAt.get(owner) ?? now) + ((bytes + ofEach) * 1_000) / bytesPerSecond;
    sentAt.set(owner, at);
    forget(now);
    const ms = at - now - burstMs;
    if (ms > 0) await clock.wait(ms);
  };
};
