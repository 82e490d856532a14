import { LRUCache } from 'lru-cache';
import type { BucketSize, TakenTokens } from '../../db/limits/rate-limits.ts';

/** Whether a request may go on, and what its answer says of the limit. */
export interface Admission {
  readonly allowed: boolean;
  /** Tokens that are left, as far as this process knows. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full again, if nothing more is taken. */
  readonly fullInMs: number;
  /** Milliseconds until a request may be let in again; 0 for one that was. */
  readonly retryInMs: number;
  /** Milliseconds for which its refusal is held back; 0 for one that was let in. */
  readonly holdMs: number;
}

/** A limit that many processes share. */
export interface RateLimiter {
  /**
   * Takes one token of the key's bucket.
   * @throws what `take` throws when the shared buckets can not be reached
   */
  admit(key: string): Promise<Admission>;
  /** Whether the next request of the key would be refused, as far as this process knows. Takes and asks nothing. */
  isSpent(key: string): boolean;
}

/** What a limiter is made of. */
export interface RateLimiterDeps {
  readonly size: BucketSize;
  /** Takes tokens out of a shared bucket. */
  readonly take: (key: string, wanted: number) => Promise<TakenTokens>;
  /** Milliseconds on a clock that is never set. */
  readonly elapsed?: () => number;
  /** Keys of which this process remembers anything. */
  readonly maxKeys?: number;
}

/**
 * Milliseconds for which tokens are leased, and in which a bucket that was found empty is not asked again. Tokens end after
 * twice as long, so that a caller that slows down loses few.
 */
export const LEASE_MS = 100;
const TOKEN_LIFE_MS = 2 * LEASE_MS;
const MAX_KEYS = 10_000;
/**
 * A key is refused so many requests at once; while it goes on, those after them are held back. Who asks anew at each refusal
 * would otherwise take the processor from everybody.
 */
export const PROMPT_REFUSALS = 20;
export const HOLD_MS = 500;

/** What a process knows of a key's bucket. */
interface Account {
  /** Leased and not spent yet; they end at `tokensUntil`. */
  tokens: number;
  tokensUntil: number;
  /** The bucket is empty and not asked before. */
  emptyUntil: number;
  fullAt: number;
  /** The lease that is under way. */
  leasing: Promise<void> | null;
  /** Requests that wait for tokens. */
  waiting: number;
  /** Tokens spent during the last `LEASE_MS`, about: each counts less the longer ago it was. As of `spentAt`. */
  spent: number;
  spentAt: number;
  /** The same of refusals, during the last `HOLD_MS`. As of `refusedAt`. */
  refused: number;
  refusedAt: number;
}

const newAccount = (now: number): Account => ({
  tokens: 0,
  tokensUntil: now,
  emptyUntil: now,
  fullAt: now,
  leasing: null,
  waiting: 0,
  spent: 0,
  spentAt: now,
  refused: 0,
  refusedAt: now,
});

const spentLately = ({ spent, spentAt }: Account, now: number): number => spent * Math.exp((spentAt - now) / LEASE_MS);

const atHand = ({ tokens, tokensUntil }: Account, now: number): number => (now < tokensUntil ? tokens : 0);

const spend = (account: Account, now: number, { rate, burst }: BucketSize): Admission => {
  account.tokens -= 1;
  account.spent = spentLately(account, now) + 1;
  account.spentAt = now;
  const fullInMs = Math.max(0, account.fullAt - now);
  const shared = Math.max(0, Math.floor(burst - (fullInMs * rate) / 1_000));
  return {
    allowed: true,
    remaining: Math.min(burst - 1, shared + account.tokens),
    fullInMs,
    retryInMs: 0,
    holdMs: 0,
  };
};

const refuse = (account: Account, now: number): Admission => {
  account.refused = account.refused * Math.exp((account.refusedAt - now) / HOLD_MS) + 1;
  account.refusedAt = now;
  return {
    allowed: false,
    remaining: 0,
    fullInMs: Math.max(0, account.fullAt - now),
    retryInMs: account.emptyUntil - now,
    holdMs: account.refused > PROMPT_REFUSALS ? HOLD_MS : 0,
  };
};

/**
 * Lets through `burst` requests of a key at once and `rate` a second, counted over all processes. A query for each request
 * would cost as much as some requests do, so tokens are leased: one at a time when requests are few, as many as were
 * spent during the last 100 ms when they are many; and an empty bucket is not asked again for 100 ms. Requests that find
 * no token wait for the one lease that is under way.
 *
 * What a process leases and does not spend is lost. In no stretch of time are more requests let through than `burst` and
 * `rate` times what it and the life of a token (200 ms) last.
 */
export const createRateLimiter = ({
  size,
  take,
  elapsed = () => performance.now(),
  maxKeys = MAX_KEYS,
}: RateLimiterDeps): RateLimiter => {
  const { rate, burst } = size;
  const accounts = new LRUCache<string, Account>({ max: maxKeys });
  const accountOf = (key: string): Account => {
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const account = newAccount(elapsed());
    accounts.set(key, account);
    return account;
  };

  const askFor = async (key: string, account: Account): Promise<void> => {
    const lately = Math.round(spentLately(account, elapsed()));
    const wanted = Math.min(burst, Math.max(1, account.waiting, lately));
    const { granted, fullInMs } = await take(key, wanted);
    const now = elapsed();
    account.tokens = granted;
    account.tokensUntil = now + TOKEN_LIFE_MS;
    account.fullAt = now + fullInMs;
    const tokenAt = account.fullAt - ((burst - 1) * 1_000) / rate;
    if (granted < wanted) account.emptyUntil = Math.max(tokenAt, now + LEASE_MS);
  };

  const lease = (key: string, account: Account): Promise<void> => {
    account.leasing ??= askFor(key, account).finally(() => {
      account.leasing = null;
    });
    return account.leasing;
  };

  /** Those who wait keep their account, also when it is forgotten meanwhile: else more keys than `maxKeys` could wait without end. */
  const admit = async (key: string, account: Account): Promise<Admission> => {
    const now = elapsed();
    if (atHand(account, now) > 0) return spend(account, now, size);
    if (now < account.emptyUntil) return refuse(account, now);
    account.waiting += 1;
    try {
      await lease(key, account);
    } finally {
      account.waiting -= 1;
    }
    return admit(key, account);
  };
  const isSpent = (key: string): boolean => {
    const [account, now] = [accounts.peek(key), elapsed()];
    return account !== undefined && atHand(account, now) <= 0 && now < account.emptyUntil;
  };
  return { admit: (key) => admit(key, accountOf(key)), isSpent };
};
