import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Knex } from 'knex';
import { takeTokens, type BucketSize } from '../../db/limits/rate-limits.ts';
import { addressGroups, clientAddress } from './client-address.ts';
import { ApiError } from '../errors/errors.ts';
import { localsOf } from '../http/locals.ts';
import { problems } from '../errors/problems.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { Guard } from '../http/routes.ts';
import type { Operation } from '../http/specification.ts';

/** How many requests are let through. */
export interface RateLimits {
  /** Of each caller; null: as many as come. */
  readonly caller: BucketSize | null;
  /** Of each client address, where there is no caller or none that is known; null: as many as come. */
  readonly address: BucketSize | null;
}

/** Counts a request, tells of the limit in its answer, and refuses what exceeds it. */
export type Count = (request: Request, response: Response) => Promise<void>;

/** Names the policy in the answer, and its buckets. */
type Policy = NonNullable<Operation['limitedBy']> | 'node';

/**
 * Refuses 429 what exceeds the limit, with `Retry-After`, and tells of the limit in `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-10): quota and window are the burst and the seconds in which it comes in again.
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

/** How many clients of one site, and callers of one node, may do all that they may. */
const CLIENTS_OF_A_SITE = 10;
const CALLERS_OF_A_NODE = 4;

const times = (count: number, { rate, burst }: BucketSize): BucketSize => ({
  rate: rate * count,
  burst: burst * count,
});

/**
 * Counts by the client's address; of IPv6 by its /64, and by its /48 with ten times as much. The /48 is asked first: a site
 * has 65,536 of /64, and each would cost a row of its own. What a /64 is refused for costs its neighbours nothing.
 */
export const createAddressCount = (knex: Knex, { address: size }: RateLimits): Count => {
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
  (count: Count): RequestHandler =>
  async (request, response, next) => {
    await count(request, response);
    next();
  };

/** Limits the operations that need no integration, before their credentials are looked at. */
export const limitAddresses =
  (count: Count): Guard =>
  ({ limitedBy }) =>
    limitedBy === 'address' ? [asHandler(count)] : [];

/** Also counts by address what a guard refuses 401 of other operations: who it was is not known. */
export const limitFailures =
  (count: Count, guard: Guard): Guard =>
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
 * Limits the operations of integrations and of outside tokens, once it is known who calls: each caller, and all callers of
 * a node together, as whoever has one integration can make others.
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
