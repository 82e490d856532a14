import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Knex } from 'knex';
import { takeTokens, type BucketSize } from '../../db/limits/rate-limits.ts';
import { addressGroups, clientAddress } from '../request/client-address.ts';
import { ApiError } from '../errors/errors.ts';
import { localsOf } from '../request/locals.ts';
import { problems } from '../errors/problems.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { Guard } from '../request/guard.ts';
import type { Operation } from '../request/specification.ts';

export interface RateLimits {
  /** For each caller; null: unlimited. */
  readonly caller: BucketSize | null;
  /** For each client address, where the caller is unknown; null: unlimited. */
  readonly address: BucketSize | null;
}

/** Counts a request, describes the limit in the headers, and refuses requests above it. */
export type CountRequest = (request: Request, response: Response) => Promise<void>;

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
