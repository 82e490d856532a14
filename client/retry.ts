/** Number and timing of retries. */
export interface RetryPolicy {
  /** Attempts after the first one; 0 disables retries. Default: 3. */
  readonly retries: number;
  /**
   * Milliseconds before the second attempt. Doubles for each further one, minus up to a quarter of jitter. Default:
   * 250.
   */
  readonly firstDelayMs: number;
  /** Maximum backoff, in milliseconds. Default: 10,000. */
  readonly longestDelayMs: number;
  /** Longest accepted `Retry-After`, in milliseconds; a longer one fails the call at once. Default: 60,000. */
  readonly maxWaitMs: number;
}

export const usualRetries: RetryPolicy = { retries: 3, firstDelayMs: 250, longestDelayMs: 10_000, maxWaitMs: 60_000 };

/**
 * Milliseconds of a Retry-After header in seconds or as a date (RFC 9110 section 10.2.3); null when absent or invalid.
 */
const retryAfterMs = (headers: Headers): number | null => {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
};

/** Backoff in milliseconds when no answer sets one. */
export const backoffMs = ({ firstDelayMs, longestDelayMs }: RetryPolicy, attempt: number): number =>
  Math.min(firstDelayMs * 2 ** attempt, longestDelayMs) * (0.75 + Math.random() / 4);

/**
 * Milliseconds until the next attempt; null when the answer is final. A request refused with 429 was not carried out.
 * After a 502, 503 or 504 the outcome is unknown, so only repeatable requests are retried.
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

/** Waits. If the signal aborts, it throws the signal's reason. */
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
