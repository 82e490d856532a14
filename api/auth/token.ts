import type { Knex } from 'knex';
import { isPermission, type Permission } from '../../domain/access.ts';
import type { TokenRequest } from '../generated/openapi-types.ts';
import { ApiError } from '../errors/errors.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './access-tokens.ts';
import { findByCredentials, type Credentials } from './credentials.ts';
import type { KeyRing } from './key-ring.ts';

export interface TokenDeps {
  readonly knex: Knex;
  readonly accessTokens: AccessTokens;
  readonly keyRing: KeyRing;
}

/** RFC 6749 section 2.3.1: id and secret are form-encoded inside Basic. */
const fromBasic = (authorization: string | undefined): Credentials | null => {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return null;
  const decode = (part: string): string => new URLSearchParams(`v=${part.replaceAll('&', '%26')}`).get('v') ?? '';
  const credentials = { apiKey: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
  // Bodies are checked for all operations. A header can hold characters that PostgreSQL cannot store; no key does.
  return /^[\x20-\x7e]*$/.test(credentials.apiKey + credentials.secret) ? credentials : null;
};

const fromBody = (body: TokenRequest): Credentials | null => {
  const apiKey = body.client_id ?? body.api_key;
  const secret = body.client_secret ?? body.secret;
  return apiKey === undefined || secret === undefined ? null : { apiKey, secret };
};

const credentialsOf = (body: TokenRequest, authorization: string | undefined): Credentials => {
  const basic = fromBasic(authorization);
  const inBody = fromBody(body);
  // A client that sends a Basic header means it, so the body must not decide.
  if (basic === null && /^Basic(\s|$)/i.test(authorization ?? '')) throw wrongCredentials();
  if (basic !== null && (body.client_secret ?? body.secret) !== undefined) {
    throw new ApiError('invalid_request', 'Send the credentials in the body or by HTTP Basic, not both');
  }
  if (basic !== null && (body.client_id ?? body.api_key ?? basic.apiKey) !== basic.apiKey) {
    throw new ApiError('invalid_request', 'client_id in the body differs from that in HTTP Basic');
  }
  const credentials = basic ?? inBody;
  if (credentials !== null) return credentials;
  if (authorization !== undefined) throw wrongCredentials();
  throw new ApiError('invalid_request', 'client_id and client_secret are required, in the body or by HTTP Basic');
};

const wrongCredentials = (): ApiError =>
  new ApiError('invalid_client', 'The api_key or the secret is wrong, or the integration is revoked or expired', {
    headers: { 'WWW-Authenticate': 'Basic realm="carat"' },
  });

const scopeOf = (scope: string | undefined, held: readonly Permission[]): readonly Permission[] => {
  if (scope === undefined) return held;
  const wanted = scope.split(' ').filter((name) => name !== '');
  if (wanted.length === 0)
    throw new ApiError('invalid_scope', 'The scope names no permission; leave it out to get all');
  const granted = wanted.filter(isPermission).filter((permission) => held.includes(permission));
  if (granted.length === wanted.length) return granted;
  throw new ApiError('invalid_scope', 'The scope names a permission that the integration lacks');
};

/** `POST /api/v1/auth/token` (RFC 6749, client credentials), and the keys that verify its tokens. */
export const createTokenHandlers = (deps: TokenDeps): Pick<Handlers, 'issueToken' | 'getKeys'> => {
  const issueToken: Handler<'issueToken'> = async ({ body, authorization }) => {
    if (body.grant_type !== 'client_credentials') {
      throw new ApiError('unsupported_grant_type', 'grant_type must be client_credentials');
    }
    const integration = await findByCredentials(deps.knex, credentialsOf(body, authorization));
    if (integration === null) throw wrongCredentials();
    const permissions = scopeOf(body.scope, integration.permissions);
    const access_token = await deps.accessTokens.issue({
      integrationId: integration.id,
      nodeId: integration.node_id,
      permissions,
    });
    return {
      status: 200,
      body: { access_token, token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, scope: permissions.join(' ') },
    };
  };
  const getKeys: Handler<'getKeys'> = () =>
    Promise.resolve({ status: 200, body: { keys: deps.keyRing.access().map((key) => key.jwk) } });
  return { issueToken, getKeys };
};
