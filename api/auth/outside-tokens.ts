import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { findNode } from '../../db/nodes/nodes.ts';
import { isPermission, type Caller, type Permission } from '../../domain/access.ts';
import { isUuid } from '../../domain/tools/is-uuid.ts';
import { isBase64url } from '../request/formats.ts';
import { ApiError, invalidToken } from '../errors/errors.ts';
import type { ResolvedIssuer } from './outside-issuers.ts';

/** Bearer tokens of the outside issuers that the operator trusts. */
export interface OutsideTokens {
  /**
   * Returns the token's caller; null when the token names no outside issuer.
   * @throws ApiError invalid_token, or unavailable when the issuer's keys cannot be fetched
   */
  verify(token: string): Promise<Caller | null>;
}

export interface OutsideTokensDeps {
  readonly knex: Knex;
  readonly issuers: readonly ResolvedIssuer[];
  /** The clock, in milliseconds since the epoch. */
  readonly now?: () => number;
  /** Maximum age of cached keys, in milliseconds; tests set it. */
  readonly keysMaxAgeMs?: number;
  /** Milliseconds after a fetch in which an unknown key does not cause another fetch; tests set it. */
  readonly cooldownMs?: number;
}

const LONGEST_LIFE_SECONDS = 86_400;
const CLOCK_TOLERANCE_SECONDS = 5;
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 5_000;
const FETCH_TIMEOUT_MS = 3_000;
/** Backoff after a failed fetch, in milliseconds, so that no request waits for an issuer that is down. */
const REST_MS = 1_000;

const unavailable = (): ApiError =>
  new ApiError('unavailable', "The keys of the token's issuer cannot be fetched; try again", {
    headers: { 'Retry-After': '1' },
    isFault: false,
  });

/** True while the clock is less than `ms` away from `since`, before or after it. */
const isWithin = (ms: number, since: number, now: number): boolean => Math.abs(now - since) < ms;

/** Names the wrong claim, never its value. The operator who sets up an issuer has no other clue. */
const reasonOf = (error: unknown): string => {
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} is missing or invalid`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The issuer of the token does not use its algorithm';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The issuer of the token does not have its key';
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'The token must name its key (kid), because its issuer has several';
  return 'The token is not a valid token of its issuer';
};

/** The permissions that a claim lists. */
const namesIn = (named: unknown): ReadonlySet<Permission> => {
  if (!Array.isArray(named) || !named.every((name) => typeof name === 'string')) {
    throw invalidToken('The claim permissions must be a list of strings, or scope a string');
  }
  return new Set(named.filter(isPermission));
};

/**
 * The permissions of `permissions`, or of `scope`, within the ceiling. Some issuers put all that the user holds into `permissions`, and
 * what this token was granted into `scope` (RFC 9068 section 2.2.3). So where `scope` names permissions too, both must name one.
 */
const permissionsOf = ({ permissions, scope }: JWTPayload, ceiling: readonly Permission[]): Permission[] => {
  const granted = namesIn(typeof scope === 'string' ? scope.split(' ') : (scope ?? []));
  const held = permissions == null ? granted : namesIn(permissions);
  return ceiling.filter((permission) => held.has(permission) && (granted.size === 0 || granted.has(permission)));
};

/** The issuer's keys, fetched on demand. Any failure that is not a judgement on the keys becomes `unavailable`. */
const remoteKeys = (
  { jwks_uri }: ResolvedIssuer,
  { keysMaxAgeMs, cooldownMs }: Required<Pick<OutsideTokensDeps, 'keysMaxAgeMs' | 'cooldownMs'>>,
): JWTVerifyGetKey => {
  let [failedAt, fetchedAt] = [-Infinity, -Infinity];
  // The library would measure cooldown and age by the date, which may be set.
  const keys = createRemoteJWKSet(new URL(jwks_uri), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
    [customFetch]: async (url, options) => {
      if (performance.now() - failedAt < REST_MS) throw unavailable();
      failedAt = performance.now();
      const response = await fetch(url, options);
      if (response.status === 200) [failedAt, fetchedAt] = [-Infinity, performance.now()];
      return response;
    },
  });
  return async (header, input) => {
    try {
      if (performance.now() - fetchedAt >= keysMaxAgeMs) await keys.reload();
      return await keys(header, input).catch(async (error: unknown) => {
        if (!(error instanceof errors.JWKSNoMatchingKey) || performance.now() - fetchedAt < cooldownMs) throw error;
        await keys.reload();
        return keys(header, input);
      });
    } catch (error) {
      const isJudged =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      throw isJudged ? error : unavailable();
    }
  };
};

/** An issuer with its key source. */
interface TrustedIssuer extends ResolvedIssuer {
  readonly keys: JWTVerifyGetKey;
}

/** The end of a token, in milliseconds since the epoch. */
const endOf = ({ exp = 0 }: JWTPayload): number => exp * 1_000;

/** Returns the token's claims after checking its signature, audience and times. */
const checkedClaims = async (token: string, trusted: TrustedIssuer, now: () => number): Promise<JWTPayload> => {
  const { keys, algorithms, issuer, audience } = trusted;
  if (!token.split('.').every(isBase64url)) throw invalidToken(reasonOf(null));
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, keys, {
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims: ['exp', 'nbf', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
    }));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalidToken(reasonOf(error));
  }
  if (endOf(payload) <= now()) throw invalidToken('The token has expired');
  if (endOf(payload) > now() + (LONGEST_LIFE_SECONDS + CLOCK_TOLERANCE_SECONDS) * 1_000) {
    throw invalidToken('The token must expire within a day');
  }
  // The subject goes into the audit log, and identifies the caller of an Idempotency-Key.
  if (!/^[\x20-\x7e]{1,255}$/.test(payload.sub ?? ''))
    throw invalidToken('The claim sub must be 1 to 255 printable ASCII characters');
  return payload;
};

const nodeOf = async (knex: Knex, claim: unknown, rootId: string): Promise<string> => {
  if (claim === undefined || claim === rootId) return rootId;
  const node = typeof claim === 'string' && isUuid(claim) ? await findNode(knex, rootId, claim) : null;
  if (node === null) throw invalidToken('The claim node is not a node of the issuer');
  return node.id;
};

/**
 * Verifies tokens of outside issuers (RFC 7519): signature by the issuer's published keys, issuer, audience, times. The
 * token's node and permissions are limited to those that the operator gave the issuer. A verified token is cached for a
 * minute.
 */
export const createOutsideTokens = ({
  knex,
  issuers,
  now = Date.now,
  keysMaxAgeMs = 300_000,
  cooldownMs = 10_000,
}: OutsideTokensDeps): OutsideTokens => {
  const known = new Map(
    issuers.map((issuer): [string, TrustedIssuer] => [
      issuer.issuer,
      { ...issuer, keys: remoteKeys(issuer, { keysMaxAgeMs, cooldownMs }) },
    ]),
  );
  const remembered = new LRUCache<string, { at: number; end: number; caller: Caller }>({ max: MAX_REMEMBERED });

  const issuerOf = (token: string) => {
    try {
      return known.get(decodeJwt(token).iss ?? '');
    } catch {
      return undefined;
    }
  };

  return {
    verify: async (token) => {
      if (known.size === 0) return null;
      const earlier = remembered.get(token);
      const isFresh = earlier !== undefined && earlier.end > now() && isWithin(REMEMBER_MS, earlier.at, now());
      if (isFresh) return earlier.caller;
      remembered.delete(token);
      const trusted = issuerOf(token);
      if (trusted === undefined) return null;
      const payload = await checkedClaims(token, trusted, now);
      const caller: Caller = {
        actorId: `${trusted.issuer}#${payload.sub}`,
        integrationId: null,
        nodeId: await nodeOf(knex, payload.node, trusted.nodeId),
        permissions: permissionsOf(payload, trusted.permissions),
      };
      remembered.set(token, { at: now(), end: endOf(payload), caller });
      return caller;
    },
  };
};
