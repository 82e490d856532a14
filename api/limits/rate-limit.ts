import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { takeTokens, type BucketSize, type TakenTokens } from '../../db/limits/rate-limits.ts';
import { ApiError } from '../errors/errors.ts';
import { problems } from '../errors/problems.ts';
import { addressGroups, clientAddress } from '../request/client-address.ts';
import type { Guard, Operation } from '../request/specification.ts';
import { localsOf } from '../request/locals.ts';

/** Whether a request is admitted, and the values of its rate limit headers. */
interface Admission {
  readonly allowed: boolean;
  /** Tokens left, as far as this process knows. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full, if nothing more is taken. */
  readonly fullInMs: number;
  /** Milliseconds until a request may be admitted again; 0 when admitted. */
  readonly retryInMs: number;
  /** Milliseconds by which the refusal is delayed; 0 when admitted. */
  readonly holdMs: number;
}

/** A rate limit shared by many processes. */
export interface RateLimiter {
  /**
   * Takes one token from the key's bucket.
   * @throws the error of `take` when the shared buckets cannot be reached
   */
  admit(key: string): Promise<Admission>;
  /** True when the next request of the key would be refused, as far as this process knows. Has no side effect. */
  isSpent(key: string): boolean;
}

interface RateLimiterDeps {
  readonly size: BucketSize;
  /** Takes tokens from a shared bucket. */
  readonly take: (key: string, wanted: number) => Promise<TakenTokens>;
  /** Monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
  /** Number of keys that this process remembers. */
  readonly maxKeys?: number;
}

/**
 * Period in milliseconds over which spending is measured, and for which an empty bucket is not asked again. Leased
 * tokens expire after twice as long, so that a caller that slows down loses few.
 */
export const LEASE_MS = 100;
const TOKEN_LIFE_MS = 2 * LEASE_MS;
const MAX_KEYS = 10_000;
/**
 * A key gets this many prompt refusals in a row; further ones are delayed. Otherwise a client that retries at each
 * refusal would take the processor from everybody.
 */
export const PROMPT_REFUSALS = 20;
export const HOLD_MS = 500;

/** A process's knowledge of a key's bucket. */
interface Account {
  /** Leased and unspent tokens; they expire at `tokensUntil`. */
  tokens: number;
  tokensUntil: number;
  /** The bucket is empty and is not asked before this time. */
  emptyUntil: number;
  fullAt: number;
  leasing: Promise<void> | null;
  /** Number of requests that wait for tokens. */
  waiting: number;
  /** Tokens spent during about the last `LEASE_MS`, exponentially decayed. As of `spentAt`. */
  spent: number;
  spentAt: number;
  /** Refusals during about the last `HOLD_MS`, exponentially decayed. As of `refusedAt`. */
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
 * Admits `burst` requests of a key at once and `rate` a second, counted over all processes. A query for each request
 * would cost as much as some requests do, so tokens are leased: one at a time when requests are few, as many as the
 * last 100 ms spent when they are many. An empty bucket is not asked again for 100 ms. Requests without a token wait
 * for the one lease in flight.
 *
 * Leased tokens that are not spent are lost. In any period the limiter admits at most `burst` + `rate` × (length of the
 * period + 200 ms, the life of a token) requests.
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

  /**
   * Waiting requests keep their account, even when the cache evicts it. Otherwise requests of more keys than `maxKeys`
   * could wait without end.
   */
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

export interface RateLimits {
  /** For each caller; null: unlimited. */
  readonly caller: BucketSize | null;
  /** For each client address, where the caller is unknown; null: unlimited. */
  readonly address: BucketSize | null;
}

/** Counts a request, describes the limit in the headers, and refuses requests above it. */
type CountRequest = (request: Request, response: Response) => Promise<void>;

/** Name of the policy in the headers, and of its buckets. */
type Policy = NonNullable<Operation['limitedBy']> | 'node';

/**
 * Answers 429 with `Retry-After` above the limit, and describes the limit in `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-10): the quota is the burst, the window the seconds in which it refills.
 */
const createLimit = (knex: Knex, of: Policy, size: BucketSize) => {
  const limiter = createRateLimiter({ size, take: (key, wanted) => takeTokens(knex, key, wanted, size) });
  const policy = `"${of}";q=${size.burst};w=${Math.ceil(size.burst / size.rate)}`;
  const isSpent = (key: string): boolean => limiter.isSpent(`${of} ${key}`);
  const count = async (key: string, response: Response, { tells } = { tells: true }): Promise<void> => {
    const { allowed, remaining, fullInMs, retryInMs, holdMs } = await limiter.admit(`${of} ${key}`);
    if (tells || !allowed) {
      response.setHeader('RateLimit-Policy', policy);
      response.setHeader('RateLimit', `"${of}";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`);
    }
    if (allowed) return;
    if (holdMs > 0) await delay(holdMs);
    const seconds = Math.max(1, Math.ceil(retryInMs / 1_000));
    throw new ApiError('rate_limited', `Too many requests; try again in ${seconds} s`, {
      headers: { 'Retry-After': String(seconds) },
    });
  };
  return { count, isSpent };
};

/** Number of clients of one site, and of callers of one node, that may use their full limits at once. */
const CLIENTS_OF_A_SITE = 10;
const CALLERS_OF_A_NODE = 4;

const times = (count: number, { rate, burst }: BucketSize): BucketSize => ({
  rate: rate * count,
  burst: burst * count,
});

/**
 * Counts by the client's address: for IPv6 by its /64, and by its /48 with ten times the limit. The /48 is asked first,
 * because a site has 65,536 /64s and each would cost a row. A /64 that is over its limit does not count against its
 * /48.
 */
export const createAddressCount = (knex: Knex, { address: size }: RateLimits): CountRequest => {
  if (size === null) return () => Promise.resolve();
  const ofClient = createLimit(knex, 'address', size);
  const ofSite = createLimit(knex, 'address', times(CLIENTS_OF_A_SITE, size));
  return async (request, response) => {
    const { client, site } = addressGroups(clientAddress(request));
    if (site !== null && !ofClient.isSpent(client)) await ofSite.count(site, response, { tells: false });
    await ofClient.count(client, response);
  };
};

const asHandler =
  (count: CountRequest): RequestHandler =>
  async (request, response, next) => {
    await count(request, response);
    next();
  };

/** Limits the operations that need no integration, before their credentials are checked. */
export const limitAddresses =
  (count: CountRequest): Guard =>
  ({ limitedBy }) =>
    limitedBy === 'address' ? [asHandler(count)] : [];

/** Counts the 401s of other operations by address, because their caller is unknown. */
export const limitFailures =
  (count: CountRequest, guard: Guard): Guard =>
  (operation) => {
    if (operation.limitedBy === 'address') return guard(operation);
    return guard(operation).map((handler): RequestHandler => async (request, response, next) => {
      try {
        await handler(request, response, next);
      } catch (error) {
        if (error instanceof ApiError && problems[error.code].status === 401) await count(request, response);
        throw error;
      }
    });
  };

/**
 * Limits the operations of integrations and outside tokens once the caller is known: each caller, and all callers of a
 * node together, because one integration can create others.
 */
export const limitCallers = (knex: Knex, { caller }: RateLimits): Guard => {
  if (caller === null) return () => [];
  const ofCaller = createLimit(knex, 'caller', caller);
  const ofNode = createLimit(knex, 'node', times(CALLERS_OF_A_NODE, caller));
  const handler = asHandler(async (_request, response) => {
    const { actorId, nodeId } = localsOf(response).caller!;
    await ofCaller.count(actorId, response);
    await ofNode.count(nodeId, response, { tells: false });
  });
  return ({ limitedBy }) => (limitedBy === 'caller' ? [handler] : []);
};
