import type { ErrorRequestHandler, Request } from 'express';
import { error as validator } from 'express-openapi-validator';
import { describeFields, DomainError, invalidRequest, type FieldError } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports/log.ts';
import { clientAddress } from '../request/client-address.ts';
import { ApiError, toProblem, type Problem } from './errors.ts';
import { localsOf, paymentOf, type Locals } from '../request/locals.ts';
import { problems } from './problems.ts';
import { findReference, wordRule, type BrokenRule } from './wording.ts';

interface ValidatorError extends Error {
  readonly status: number;
  readonly path?: string;
  readonly errors?: readonly BrokenRule[];
}

/** One entry for each field. */
const fieldErrors = ({ errors = [], path = '/', message }: ValidatorError): FieldError[] => {
  const byPath = new Map<string, BrokenRule[]>();
  for (const error of errors) {
    const broken = byPath.get(error.path);
    if (broken === undefined) byPath.set(error.path, [error]);
    else broken.push(error);
  }
  // Omits "must be null" for a nullable field that breaks a rule further down.
  const isDeeper = (key: string): boolean => [...byPath.keys()].some((other) => other.startsWith(`${key}/`));
  const told = [...byPath]
    .map(([key, broken]) => ({ path: key, message: wordRule(broken) }))
    .filter((error) => !(error.message === 'must be null' && isDeeper(error.path)));
  return (told.length === 0 ? [{ path, message }] : told)
    .slice(0, 100)
    .map((error) => ({ path: error.path.slice(0, 1_000), message: error.message.slice(0, 1_000) }));
};

const networkTroubles = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** SQLSTATEs (PostgreSQL, Appendix A) of failures that are no fault of the statement. */
const databaseTroubles = new RegExp(
  `^(?:${[
    // connection failures; no connection, memory or disk left; shutting down, starting up, dropped
    '08...',
    '53...',
    '57P0.',
    // only reads, as a standby does until it has taken over
    '25006',
    // a statement, a wait for a lock or a transaction took longer than a process of this kind may
    '57014',
    '55P03',
    '25P03',
    '25P04',
    // rolled back to end a deadlock, again and again
    '40P01',
  ].join('|')})$`,
);

/**
 * Messages of pg about connections, which have no code. Knex puts the text of the running statement before the message.
 */
const connectionTroubles =
  /(?:^| - )(?:Connection terminated[\w ]*|Connection ended[\w ]*|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error and is not queryable)$/;

const isDatabaseDown = (error: unknown): boolean => {
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  return (
    (typeof code === 'string' && (networkTroubles.has(code) || databaseTroubles.test(code))) ||
    name === 'KnexTimeoutError' ||
    connectionTroubles.test(String(message))
  );
};

const isDecodable = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== null;
  } catch {
    return false;
  }
};

/** Converts a thrown error into a refusal. An unknown error is a defect, and the client learns nothing about it. */
const toRefusal = (
  error: unknown,
  params: NonNullable<Locals['pathParams']>,
  caller: Locals['caller'],
): ApiError | DomainError => {
  if (error instanceof DomainError) return error.shownTo(caller?.permissions ?? []);
  if (error instanceof ApiError) return error;
  if (error instanceof validator.BadRequest || error instanceof URIError) {
    // The validator does not name the parameters that it could not decode.
    const names = Object.entries(params).filter(([, text]) => !isDecodable(text));
    const refused = names.map(([name]) => ({ path: `/params/${name}`, message: 'must be percent-encoded UTF-8' }));
    if (refused.length > 0) return invalidRequest(...refused);
  }
  if (error instanceof validator.BadRequest) return invalidRequest(...fieldErrors(error as ValidatorError));
  if (error instanceof validator.NotFound) return new ApiError('route_not_found', 'This route does not exist');
  if (error instanceof URIError) {
    return invalidRequest({ path: '/params', message: 'must be percent-encoded UTF-8' });
  }
  if (isDatabaseDown(error)) {
    return new ApiError('unavailable', 'The database cannot be reached; try again', {
      headers: { 'Retry-After': '1' },
    });
  }
  return new ApiError('internal_error', 'Internal error; the log has the details under the request_id');
};

/** A refusal for a missing resource names the field that refers to it. */
const withReference = (
  refusal: ApiError | DomainError,
  request: Request,
  { operation, pathParams: params = {} }: Locals,
): ApiError | DomainError => {
  if (!(refusal instanceof DomainError) || refusal.errors.length > 0) return refusal;
  const { code, extra } = refusal;
  // Express parses the query at its first read, and throws if the target is no URL. An operation has read it by now.
  const { body, query } = request;
  const reference = findReference(code, operation?.path ?? '', { body, query, params });
  return reference === null
    ? refusal
    : new DomainError(code, describeFields([reference]), { errors: [reference], extra });
};

/** Logs a defect. The message of a database error may hold values of the row; code and stack frames say enough. */
const logDefect = (log: Log, error: unknown, status: number, locals: Locals): void => {
  const { requestId, operation } = locals;
  const cause = error instanceof Error ? error : new Error(String(error));
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  log.error('request failed', {
    request_id: requestId,
    operation: operation?.id ?? null,
    payment_id: paymentOf(locals) ?? null,
    status,
    error: cause.name,
    code: (cause as { code?: unknown }).code ?? null,
    stack: frames.slice(0, 12).map((line) => line.trim()),
  });
};

/** RFC 6749 section 5.2 knows few codes; everything else about a request for a token is `invalid_request`. */
const oauthCodes = new Set(['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope']);

const toOauth = ({ code, detail, request_id }: Problem): object => {
  const known = oauthCodes.has(code) ? code : 'invalid_request';
  return {
    error: known,
    error_description: detail,
    code: code === 'rate_limited' ? code : known,
    request_id,
  };
};

/** A refused request with more bytes of body left than this is not read to its end. */
const MUCH = 65_536;

const hasMuchLeft = ({ complete, headers }: Request): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MUCH);

/** The last middleware: answers every refusal in one form, and logs faults with their stack. */
export const errorHandler =
  (log: Log): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const locals = localsOf(response);
    const refusal = withReference(toRefusal(error, locals.pathParams ?? {}, locals.caller), request, locals);
    const problem = toProblem(refusal, locals.requestId);
    locals.isFault = refusal instanceof ApiError ? refusal.isFault : problem.status >= 500;
    if (locals.isFault) logDefect(log, error, problem.status, locals);
    // Clients that guess secrets or flood have no other name. The address of any other client is personal data that the
    // log does not need.
    if (problem.status === 401 || problem.status === 429) locals.address = clientAddress(request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { retryAfter } = problems[refusal.code];
    const oauth = locals.operation?.errors === 'oauth' && problem.status < 500;
    response.writeHead(problem.status, {
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
      ...(refusal instanceof ApiError ? refusal.headers : {}),
      ...(hasMuchLeft(request) ? { Connection: 'close' } : {}),
      'Content-Type': oauth ? 'application/json' : 'application/problem+json',
    });
    response.end(JSON.stringify(oauth ? toOauth(problem) : problem));
  };
