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
}

/** A limit that many processes share. */
export interface RateLimiter {
  /**
   * Takes one token of the key's bucket.
   * @throws whatever `take` throws when the shared buckets can not be reached
   */
  admit(key: string): Promise<Admission>;
}

export interface RateLimiterDeps {
  readonly size: BucketSize;
  /** Takes tokens out of a shared bucket. */
  readonly take: (key: string, wanted: number) => Promise<TakenTokens>;
  /** Milliseconds on a clock that nobody sets. */
  readonly elapsed?: () => number;
  /** Keys of which this process remembers anything. */
  readonly maxKeys?: number;
}

/**
 * Milliseconds for which tokens are leased, and in which a bucket that was found empty is not asked again. Tokens end after
 * twice as long, so that nobody has to wait while the next lease is on its way.
 */
export const LEASE_MS = 100;
const TOKEN_LIFE_MS = 2 * LEASE_MS;
const MAX_KEYS = 10_000;

/** Tokens leased at once. */
interface Lot {
  tokens: number;
  readonly size: number;
  readonly leasedAt: number;
}

const nothing: Lot = { tokens: 0, size: 0, leasedAt: -Infinity };

/** What a process knows of a key's bucket. */
interface Account {
  lot: Lot;
  /** What is left of the lot before. */
  older: Lot;
  /** The bucket is empty and not asked before. */
  emptyUntil: number;
  fullAt: number;
  asking: Promise<void> | null;
  /** Requests that wait for tokens. */
  waiting: number;
  /** Tokens spent in the current stretch of `LEASE_MS` and in the one before. */
  stretchFrom: number;
  spent: number;
  spentBefore: number;
}

const newAccount = (now: number): Account => ({
  lot: nothing,
  older: nothing,
  emptyUntil: -Infinity,
  fullAt: now,
  asking: null,
  waiting: 0,
  stretchFrom: now,
  spent: 0,
  spentBefore: 0,
});

/** Moves on to the stretch of time that `now` is in. */
const advance = (account: Account, now: number): void => {
  const age = now - account.stretchFrom;
  if (age < LEASE_MS) return;
  const isNext = age < 2 * LEASE_MS;
  account.spentBefore = isNext ? account.spent : 0;
  account.spent = 0;
  account.stretchFrom = isNext ? account.stretchFrom + LEASE_MS : now;
};

/** Tokens spent during the last `LEASE_MS`, about. */
const pace = (account: Account, now: number): number => {
  advance(account, now);
  return Math.round(account.spent + account.spentBefore * (1 - (now - account.stretchFrom) / LEASE_MS));
};

const left = ({ tokens, leasedAt }: Lot, now: number): number => (now - leasedAt < TOKEN_LIFE_MS ? tokens : 0);

/** Tokens that may be spent now. */
const atHand = ({ lot, older }: Account, now: number): number => left(lot, now) + left(older, now);

/** Remembers those keys that were used last: at least half of `max`, at most all of them. */
const createAccounts = (max: number): ((key: string, now: number) => Account) => {
  let young = new Map<string, Account>();
  let old = new Map<string, Account>();
  return (key, now) => {
    const known = young.get(key);
    if (known !== undefined) return known;
    const account = old.get(key) ?? newAccount(now);
    if (young.size >= max / 2) {
      old = young;
      young = new Map();
    }
    young.set(key, account);
    return account;
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
  size: { rate, burst },
  take,
  elapsed = () => performance.now(),
  maxKeys = MAX_KEYS,
}: RateLimiterDeps): RateLimiter => {
  const accountOf = createAccounts(maxKeys);
  const msPerToken = 1_000 / rate;

  const lease = async (key: string, account: Account): Promise<void> => {
    const askedAt = elapsed();
    const wanted = Math.min(burst, Math.max(1, account.waiting, pace(account, askedAt) - atHand(account, askedAt)));
    const { granted, fullInMs } = await take(key, wanted);
    const now = elapsed();
    account.older = account.lot;
    account.lot = { tokens: granted, size: granted, leasedAt: now };
    account.fullAt = now + fullInMs;
    if (granted === wanted) return;
    const tokenAt = account.fullAt - (burst - 1) * msPerToken;
    account.emptyUntil = Math.max(tokenAt, now + LEASE_MS);
  };

  const ask = (key: string, account: Account): Promise<void> => {
    account.asking ??= lease(key, account).finally(() => {
      account.asking = null;
    });
    return account.asking;
  };

  const verdict = (account: Account, now: number, allowed: boolean): Admission => {
    const fullInMs = Math.max(0, account.fullAt - now);
    const shared = Math.max(0, Math.floor(burst - fullInMs / msPerToken));
    return {
      allowed,
      remaining: allowed ? Math.min(burst - 1, shared + atHand(account, now)) : 0,
      fullInMs,
      retryInMs: allowed ? 0 : account.emptyUntil - now,
    };
  };

  const spend = (account: Account, now: number): Admission => {
    const lot = left(account.older, now) > 0 ? account.older : account.lot;
    lot.tokens -= 1;
    advance(account, now);
    account.spent += 1;
    return verdict(account, now, true);
  };

  /** Asks for more before the tokens are spent. Should that fail, then whoever finds none left asks again and hears of it. */
  const replenish = (key: string, account: Account, now: number): void => {
    const { lot, asking, emptyUntil } = account;
    if (asking !== null || now < emptyUntil) return;
    if (lot.tokens <= lot.size / 4 || now - lot.leasedAt >= LEASE_MS) ask(key, account).catch(() => {});
  };

  const wait = async (key: string, account: Account): Promise<Admission> => {
    account.waiting += 1;
    try {
      for (;;) {
        await ask(key, account);
        const now = elapsed();
        if (atHand(account, now) > 0) return spend(account, now);
        if (now < account.emptyUntil) return verdict(account, now, false);
      }
    } finally {
      account.waiting -= 1;
    }
  };

  return {
    admit: (key) => {
      const now = elapsed();
      const account = accountOf(key, now);
      if (atHand(account, now) > 0) {
        replenish(key, account, now);
        return Promise.resolve(spend(account, now));
      }
      if (now < account.emptyUntil) return Promise.resolve(verdict(account, now, false));
      return wait(key, account);
    },
  };
};
