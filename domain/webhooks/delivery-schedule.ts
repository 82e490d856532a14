/** When what a receiver did not take is sent again. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Before each attempt, in milliseconds. That of tests has the same number of attempts, within two minutes. */
const pauses = {
  production: [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  test: [0, 200, 500, ...[1, 2, 4, 8, 16, 24, 32].map((seconds) => seconds * SECOND)],
} as const satisfies Record<string, readonly number[]>;

/** How many attempts a delivery gets. */
export const MAX_ATTEMPTS = pauses.production.length;

/** Each pause is up to so much longer, so that what failed together does not come again together. */
const JITTER = 0.2;

/** A receiver can ask for more time, within reason. */
const LONGEST_ASKED = 24 * HOUR;

/** What a receiver asks for with `Retry-After`, in milliseconds: seconds, or a date. 0 where it says nothing sensible. */
export const readRetryAfter = (text: string | null, now: Date): number => {
  if (text === null) return 0;
  const asked = /^\d{1,9}$/.test(text.trim()) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), LONGEST_ASKED);
};

/**
 * How long to wait after a failure, in milliseconds; null when it was the last attempt.
 * @param attempts made so far
 * @param askedMs what the receiver asked for; it counts where it is longer
 */
export const pauseAfter = (
  attempts: number,
  askedMs: number,
  { profile, random = Math.random }: { readonly profile: keyof typeof pauses; readonly random?: () => number },
): number | null => {
  const pause = pauses[profile][attempts];
  return pause === undefined ? null : Math.max(Math.round(pause * (1 + JITTER * random())), askedMs);
};
