import { lackedPermissions, type Caller, type Permission } from '../../domain/access.ts';
import { DomainError, type FieldError } from '../../domain/errors.ts';
import { problems, type ProblemCode } from './problems.ts';

/** A refusal by the HTTP side. The message is one sentence for the developer of the client. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  /** False where the cause of a 5xx is no fault of this installation: a limit that the operator has set, or another's server. */
  readonly isFault: boolean;

  constructor(
    code: ProblemCode,
    message: string,
    options: { errors?: readonly FieldError[]; headers?: Readonly<Record<string, string>>; isFault?: boolean } = {},
  ) {
    super(message);
    this.code = code;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
    this.isFault = options.isFault ?? problems[code].status >= 500;
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

/** The part of a refusal that a client sees. */
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

const refusal = (rule: string, lacked: readonly Permission[]): DomainError =>
  new DomainError('permission_denied', `${rule}: ${lacked.join(', ')}`);

/**
 * Makes sure that callers grant only permissions that they hold.
 * @throws DomainError permission_denied that names the lacked permissions
 */
export const assertGrants = (caller: Caller, wanted: readonly Permission[]): void => {
  const lacked = lackedPermissions(caller, wanted);
  if (lacked.length > 0) throw refusal('The integration cannot grant permissions that it lacks', lacked);
};

/**
 * Makes sure that callers take over, revoke or see only integrations whose permissions they hold.
 * @param rule begins the message of the refusal
 * @throws DomainError permission_denied that names the lacked permissions, to those who may read integrations
 */
export const assertHolds = (caller: Caller, held: readonly Permission[], rule: string): void => {
  const lacked = lackedPermissions(caller, held);
  if (lacked.length === 0) return;
  if (!caller.permissions.includes('integrations.read')) throw new DomainError('permission_denied', rule);
  throw refusal(rule, lacked);
};
