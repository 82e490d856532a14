/** How often and how long to try again. */
export interface RetryPolicy {
  /** Attempts after the first one; 0 switches retries off. Default 3. */
  readonly retries: number;
  /** Milliseconds before the second attempt; doubled for each further one, each up to a quarter shorter. Default 250. */
  readonly firstDelayMs: number;
  /** Where the doubling ends, in milliseconds. Default 10,000. */
  readonly longestDelayMs: number;
  /** Longest `Retry-After` that is waited for, in milliseconds; a longer one is given up at once. Default 60,000. */
  readonly maxWaitMs: number;
}

export const usualRetries: RetryPolicy = { retries: 3, firstDelayMs: 250, longestDelayMs: 10_000, maxWaitMs: 60_000 };

/** Milliseconds of a Retry-After header in seconds or as a date (RFC 9110 section 10.2.3); null when there is none. */
const retryAfterMs = (headers: Headers): number | null => {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
};

/** Milliseconds to wait where no answer says how long. */
export const backoffMs = ({ firstDelayMs, longestDelayMs }: RetryPolicy, attempt: number): number =>
  Math.min(firstDelayMs * 2 ** attempt, longestDelayMs) * (0.75 + Math.random() / 4);

/**
 * Milliseconds after which an answer is worth another attempt; null when it is final. 429 was not carried out; behind a
 * 502, 503 or 504 it is not known, so only a repeatable request is sent again.
 *
 * @param attempt 0 for the first one
 */
export const waitAfter = (
  policy: RetryPolicy,
  attempt: number,
  { status, headers }: { readonly status: number; readonly headers: Headers },
  repeatable: boolean,
): number | null => {
  const asked = retryAfterMs(headers);
  const isTransient = status === 429 ? asked !== null : [502, 503, 504].includes(status) && repeatable;
  if (!isTransient) return null;
  const wait = asked ?? backoffMs(policy, attempt);
  return wait > policy.maxWaitMs ? null : wait;
};

/** Waits, unless the signal ends it: then it throws the signal's reason. */
export const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
