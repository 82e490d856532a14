/** The retry schedule of webhook deliveries. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses before each attempt, in milliseconds. The schedule for tests has as many attempts, within two minutes. */
const pauses = {
  production: [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  test: [0, 200, 500, ...[1, 2, 4, 8, 16, 24, 32].map((seconds) => seconds * SECOND)],
} as const satisfies Record<string, readonly number[]>;

/** Number of attempts of a delivery. */
export const MAX_ATTEMPTS = pauses.production.length;

/** Largest random extension of a pause, as a share, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/** Longest pause that a receiver may request. */
const LONGEST_ASKED = 24 * HOUR;

/** Reads `Retry-After` (seconds or a date), in milliseconds. Returns 0 for missing or invalid values. */
export const readRetryAfter = (text: string | null, now: Date): number => {
  if (text === null) return 0;
  const asked = /^\d{1,9}$/.test(text.trim()) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), LONGEST_ASKED);
};

/**
 * Computes the pause after a failure, in milliseconds; null after the last attempt.
 * @param attempts made so far
 * @param askedMs pause that the receiver requested, which applies when it is longer
 */
export const retryPause = (
  attempts: number,
  askedMs: number,
  { profile, random = Math.random }: { readonly profile: keyof typeof pauses; readonly random?: () => number },
): number | null => {
  const pause = pauses[profile][attempts];
  return pause === undefined ? null : Math.max(Math.round(pause * (1 + JITTER * random())), askedMs);
};
