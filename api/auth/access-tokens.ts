import { randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { isPermission, type Caller, type Permission } from '../../domain/access.ts';
import { isBase64url } from '../request/formats.ts';
import { invalidToken } from '../errors/errors.ts';
import type { KeyRing } from './key-ring.ts';

/** Lifetime of a bearer token, in seconds. */
export const ACCESS_TOKEN_SECONDS = 900;

/** Seconds that the clock of another process may be ahead. */
const CLOCK_TOLERANCE_SECONDS = 5;
const ALGORITHM = 'EdDSA';
const TYPE = 'at+jwt';
const MAX_REMEMBERED = 5_000;
const FOREIGN = 'The token is not a valid token of this service';

/** The integration that a token is issued for. */
export interface Bearer {
  readonly integrationId: string;
  readonly nodeId: string;
  readonly permissions: readonly Permission[];
}

/** Bearer tokens of integrations. */
export interface AccessTokens {
  /** Issues a bearer token (RFC 7519, RFC 9068) for an integration. */
  issue(bearer: Bearer): Promise<string>;
  /**
   * Returns the token's caller. Does not check whether the integration is still live.
   * @throws ApiError invalid_token
   */
  verify(token: string): Promise<Caller>;
}

export interface AccessTokensDeps {
  readonly keyRing: KeyRing;
  /** Public URL of the api: issuer, and audience with /api/v1 behind it. */
  readonly issuer: string;
  /** The clock, in milliseconds since the epoch. */
  readonly now?: () => number;
}

const reasonOf = (error: unknown): string => {
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf') return 'The token is not valid yet';
  return FOREIGN;
};

const callerOf = ({ sub = '', node, permissions }: JWTPayload): Caller => {
  if (typeof node !== 'string' || !Array.isArray(permissions)) throw invalidToken(FOREIGN);
  return {
    actorId: sub,
    integrationId: sub,
    nodeId: node,
    permissions: permissions.filter((entry) => typeof entry === 'string').filter(isPermission),
  };
};

/**
 * Issues and verifies bearer tokens. A verified token is cached until it expires, because its signature cannot change.
 */
export const createAccessTokens = ({ keyRing, issuer, now = Date.now }: AccessTokensDeps): AccessTokens => {
  const audience = `${issuer}/api/v1`;
  const remembered = new LRUCache<string, { kid: string; expiresAt: number; caller: Caller }>({ max: MAX_REMEMBERED });

  const keyOf = async (kid: string | undefined) => {
    const find = () => keyRing.access().find((key) => key.kid === kid);
    if (find() === undefined) await keyRing.refresh();
    const key = find();
    if (key === undefined) throw invalidToken(FOREIGN);
    return key.publicKey;
  };

  return {
    issue: async ({ integrationId, nodeId, permissions }) => {
      const [key] = keyRing.access();
      if (key === undefined) throw new Error('No key can sign tokens');
      const seconds = Math.floor(now() / 1_000);
      return new SignJWT({ node: nodeId, permissions, client_id: integrationId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(integrationId)
        .setJti(randomUUID())
        .setIssuedAt(seconds)
        .setNotBefore(seconds)
        .setExpirationTime(seconds + ACCESS_TOKEN_SECONDS)
        .sign(key.privateKey);
    },

    verify: async (token) => {
      const known = remembered.get(token);
      if (known !== undefined && keyRing.access().some((key) => key.kid === known.kid)) {
        if (known.expiresAt <= now()) throw invalidToken('The token has expired');
        return known.caller;
      }
      if (!token.split('.').every(isBase64url)) throw invalidToken(FOREIGN);
      const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => keyOf(kid), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer,
        audience,
        requiredClaims: ['exp', 'nbf', 'iat', 'sub', 'jti'],
        maxTokenAge: ACCESS_TOKEN_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(now()),
      }).catch((error: unknown) => {
        throw error instanceof errors.JOSEError ? invalidToken(reasonOf(error)) : error;
      });
      // The tolerance applies to the start of a token only, never to its end.
      if ((payload.exp ?? 0) * 1_000 <= now()) throw invalidToken('The token has expired');
      const caller = callerOf(payload);
      remembered.set(token, { kid: protectedHeader.kid ?? '', expiresAt: (payload.exp ?? 0) * 1_000, caller });
      return caller;
    },
  };
};
