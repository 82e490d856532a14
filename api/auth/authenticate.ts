import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { integrationEnd } from '../../db/integrations/integrations.ts';
import { DomainError } from '../../domain/errors.ts';
import { ApiError, invalidToken } from '../errors/errors.ts';
import type { Guard } from '../request/specification.ts';
import { localsOf } from '../request/locals.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { OutsideTokens } from './outside-tokens.ts';
import type { WidgetTokens } from './widget-tokens.ts';

/** Knows whether an integration is live. Its token may have been issued before it was revoked. */
export interface IntegrationGate {
  isLive(integrationId: string): Promise<boolean>;
  /** Drops the cached state of an integration that was changed just now. */
  forget(integrationId: string): void;
}

interface IntegrationGateDeps {
  readonly knex: Knex;
  /** Maximum age of a cached state, in milliseconds. */
  readonly maxAgeMs: number;
}

const MAX_REMEMBERED = 10_000;

/**
 * Reads an integration at most once per `maxAgeMs`, even with parallel requests. The age counts from before the read,
 * so that a request that comes `maxAgeMs` after the commit of a revocation never sees the earlier state.
 */
export const createIntegrationGate = ({ knex, maxAgeMs }: IntegrationGateDeps): IntegrationGate => {
  const remembered = new LRUCache<string, { readAt: number; end: Promise<Date | null | 'unknown'> }>({
    max: MAX_REMEMBERED,
  });
  return {
    isLive: async (integrationId) => {
      let entry = remembered.get(integrationId);
      // By the monotonic clock: ages must not depend on a wall clock that is adjusted.
      if (entry === undefined || performance.now() - entry.readAt >= maxAgeMs) {
        const read = { readAt: performance.now(), end: integrationEnd(knex, integrationId) };
        entry = read;
        remembered.set(integrationId, read);
        // A failed read fails only the requests that wait for it now.
        read.end.catch(() => {
          if (remembered.peek(integrationId) === read) remembered.delete(integrationId);
        });
      }
      const end = await entry.end;
      return end !== 'unknown' && (end === null || end.getTime() > Date.now());
    },
    forget: (integrationId) => void remembered.delete(integrationId),
  };
};

interface AuthenticateDeps {
  readonly accessTokens: AccessTokens;
  readonly outsideTokens: OutsideTokens;
  readonly widgetTokens: WidgetTokens;
  readonly checkoutTokens: WidgetTokens;
  readonly gate: IntegrationGate;
}

/** The bearer token of an `Authorization` header. */
export const bearerOf = (authorization: string | undefined): string => {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
  if (token !== undefined) return token;
  throw new ApiError('missing_token', 'The header Authorization: Bearer <token> is required', {
    headers: { 'WWW-Authenticate': 'Bearer realm="carat"' },
  });
};

/** Answers 401 to requests without a valid token, before anything else of the request is read. */
export const authenticate = (deps: AuthenticateDeps): Guard => {
  const { accessTokens, outsideTokens, gate } = deps;
  const tokens = { payment: deps.widgetTokens, checkout: deps.checkoutTokens };
  const integration: RequestHandler = async (request, response, next) => {
    const token = bearerOf(request.headers.authorization);
    const caller = (await outsideTokens.verify(token)) ?? (await accessTokens.verify(token));
    if (caller.integrationId !== null && !(await gate.isLive(caller.integrationId)))
      throw invalidToken('The integration is revoked or expired');
    localsOf(response).caller = caller;
    next();
  };
  const widget: RequestHandler = async (request, response, next) => {
    const token = bearerOf(request.headers.authorization);
    const { operation, pathParams } = localsOf(response);
    const opens = operation?.opens ?? 'payment';
    if (!(await tokens[opens].matches(token, pathParams?.id ?? ''))) {
      throw invalidToken(`The access token is not valid for this ${opens === 'payment' ? 'payment' : 'order'}`);
    }
    next();
  };
  const guards = { integration: [integration], widget: [widget], public: [] };
  return ({ access }) => guards[access];
};

/** Answers 403 to a caller without a permission of the operation. */
export const authorise: Guard = ({ access, permissions }) =>
  access !== 'integration' || permissions.length === 0
    ? []
    : [
        (_request, response, next) => {
          const held = localsOf(response).caller?.permissions ?? [];
          const lacked = permissions.find((permission) => !held.includes(permission));
          if (lacked !== undefined) {
            throw new DomainError('permission_denied', `The token lacks the permission ${lacked}`);
          }
          next();
        },
      ];
