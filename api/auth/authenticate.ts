import type { RequestHandler } from 'express';
import { DomainError } from '../../domain/errors.ts';
import { ApiError, invalidToken } from '../errors/errors.ts';
import { localsOf } from '../request/locals.ts';
import type { Guard } from '../request/guard.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { IntegrationGate } from './integration-gate.ts';
import type { OutsideTokens } from './outside-tokens.ts';
import type { WidgetTokens } from './widget-tokens.ts';

export interface AuthenticateDeps {
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
