import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import { takeTokens, type BucketSize } from '../../db/limits/rate-limits.ts';
import { addressGroup, clientAddress } from './client-address.ts';
import { ApiError } from '../http/errors.ts';
import { localsOf } from '../http/locals.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { Guard } from '../http/routes.ts';
import type { Operation } from '../http/specification.ts';

/** How many requests are let through. */
export interface RateLimits {
  /** Of each caller; null: as many as come. */
  readonly caller: BucketSize | null;
  /** Of each client address, where there is no caller; null: as many as come. */
  readonly address: BucketSize | null;
}

interface Limit {
  readonly knex: Knex;
  /** Whose requests are counted; also the name of the policy in the answer. */
  readonly of: NonNullable<Operation['limitedBy']>;
  readonly size: BucketSize | null;
  readonly keyOf: (...of: Parameters<RequestHandler>) => string;
}

/**
 * Refuses 429 what exceeds the limit, with `Retry-After`, and tells of the limit in `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-10): quota and window are the burst and the seconds in which it comes in again.
 */
const limitRate = ({ knex, of, size, keyOf }: Limit): Guard => {
  if (size === null) return () => [];
  const limiter = createRateLimiter({ size, take: (key, wanted) => takeTokens(knex, key, wanted, size) });
  const policy = `"${of}";q=${size.burst};w=${Math.ceil(size.burst / size.rate)}`;
  const limit: RequestHandler = async (request, response, next) => {
    const { allowed, remaining, fullInMs, retryInMs } = await limiter.admit(`${of} ${keyOf(request, response, next)}`);
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', `"${of}";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`);
    if (!allowed) {
      const seconds = Math.max(1, Math.ceil(retryInMs / 1_000));
      throw new ApiError('rate_limited', `There were too many requests; try again in ${seconds} s`, {
        headers: { 'Retry-After': String(seconds) },
      });
    }
    next();
  };
  return ({ limitedBy }) => (limitedBy === of ? [limit] : []);
};

/** Limits the operations that need no integration, before their credentials are looked at. */
export const limitAddresses = (knex: Knex, { address }: RateLimits): Guard =>
  limitRate({
    knex,
    of: 'address',
    size: address,
    keyOf: (request) => addressGroup(clientAddress(request)),
  });

/** Limits the operations of integrations and of outside tokens, once it is known who calls. */
export const limitCallers = (knex: Knex, { caller }: RateLimits): Guard =>
  limitRate({ knex, of: 'caller', size: caller, keyOf: (_request, response) => localsOf(response).caller!.actorId });
