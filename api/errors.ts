import { DomainError, type ErrorCode, type FieldError } from '../domain/errors.ts';

/** Refusals that only exist because of HTTP and of tokens. */
export type HttpErrorCode =
  | 'malformed_json'
  | 'missing_token'
  | 'invalid_token'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable';

export type ProblemCode = ErrorCode | HttpErrorCode;

/** The one table from code to status and title; a new code does not compile until it is here. */
export const problems: Readonly<Record<ProblemCode, { readonly status: number; readonly title: string }>> = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  immutable_field: { status: 400, title: 'The field can not be changed' },
  malformed_json: { status: 400, title: 'The body is not JSON' },
  unsupported_grant_type: { status: 400, title: 'The grant type is not supported' },
  invalid_scope: { status: 400, title: 'The scope is not valid' },
  missing_token: { status: 401, title: 'A token is needed' },
  invalid_token: { status: 401, title: 'The token is not valid' },
  invalid_client: { status: 401, title: 'The credentials are not valid' },
  permission_denied: { status: 403, title: 'A permission is missing' },
  node_access_denied: { status: 403, title: 'The node is out of reach' },
  route_not_found: { status: 404, title: 'There is no such route' },
  node_not_found: { status: 404, title: 'There is no such node' },
  chain_not_found: { status: 404, title: 'There is no such chain' },
  network_not_found: { status: 404, title: 'There is no such network' },
  currency_not_found: { status: 404, title: 'There is no such currency' },
  wallet_not_found: { status: 404, title: 'There is no such wallet' },
  member_not_found: { status: 404, title: 'There is no such member' },
  payment_not_found: { status: 404, title: 'There is no such payment' },
  integration_not_found: { status: 404, title: 'There is no such integration' },
  default_not_found: { status: 404, title: 'There is no such default' },
  webhook_not_found: { status: 404, title: 'There is no such webhook' },
  method_not_allowed: { status: 405, title: 'The route has no such method' },
  integration_exists: { status: 409, title: 'The integration exists already' },
  payment_exists: { status: 409, title: 'The payment exists already' },
  member_exists: { status: 409, title: 'The member exists already' },
  default_exists: { status: 409, title: 'The default exists already' },
  webhook_exists: { status: 409, title: 'The webhook exists already' },
  idempotency_key_reused: { status: 409, title: 'The Idempotency-Key was used before' },
  wallet_deployed: { status: 409, title: 'The wallet has a diamond' },
  wallet_in_use: { status: 409, title: 'The wallet has open payments' },
  wallet_address_taken: { status: 409, title: 'Another wallet has the address' },
  wallet_inactive: { status: 409, title: 'The wallet is not active' },
  network_not_prepared: { status: 409, title: 'The network is not prepared' },
  payment_not_payable: { status: 409, title: 'The payment can not be paid' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  too_many_open_payments: { status: 429, title: 'There are too many open payments' },
  rate_limited: { status: 429, title: 'There are too many requests' },
  internal_error: { status: 500, title: 'Something went wrong here' },
  unavailable: { status: 503, title: 'Not available at the moment' },
};

/** A refusal by the HTTP side. The message is one sentence for the developer of the client. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    message: string,
    options: { errors?: readonly FieldError[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }
}

/** A bearer token that opens nothing, with the challenge of RFC 6750. */
export const invalidToken = (detail: string): ApiError =>
  new ApiError('invalid_token', detail, {
    headers: { 'WWW-Authenticate': `Bearer realm="carat", error="invalid_token", error_description="${detail}"` },
  });

/** Body of an error answer (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly errors: readonly FieldError[];
  readonly [extra: string]: unknown;
}

/** What a client is told of a refusal. */
export const toProblem = (error: ApiError | DomainError, requestId: string): Problem => ({
  type: `/docs#${error.code}`,
  title: problems[error.code].title,
  status: problems[error.code].status,
  detail: error.message,
  code: error.code,
  request_id: requestId,
  errors: error.errors,
  ...(error instanceof DomainError ? error.extra : {}),
});
