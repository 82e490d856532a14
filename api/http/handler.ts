import type { Caller } from '../../domain/access.ts';
import type { AuditContext } from '../../domain/audit.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Operations } from '../generated/openapi-types.ts';
import type { OperationId } from './specification.ts';

/** A validated request as its handler sees it. */
export interface ApiRequest<Id extends OperationId> {
  readonly params: Operations[Id]['params'];
  readonly query: Operations[Id]['query'];
  readonly body: Operations[Id]['body'];
  /** Who calls; only operations of integrations have one. */
  readonly caller: Operations[Id]['access'] extends 'integration' ? Caller : null;
  /** What a change is recorded as; only operations of integrations have one. */
  readonly audit: Operations[Id]['access'] extends 'integration' ? AuditContext : null;
  readonly requestId: string;
  /** The header as it came, for HTTP Basic. */
  readonly authorization: string | undefined;
}

/** Parse, authorise, one call, map. Refusals are thrown. */
export type Handler<Id extends OperationId> = (request: ApiRequest<Id>) => Promise<Operations[Id]['result']>;

/** One handler for every operation; the compiler and the boot both see to it. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** PostgreSQL stores no NUL, and UTF-8 has no half of a surrogate pair. */
const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);

/**
 * Refuses values that can not be stored as they were sent: such text, and numbers beyond all bounds, which the validator
 * lets pass in a query. Runs after the validator, so that depth and size are bounded.
 * @throws DomainError invalid_request with the path of the value
 */
export const assertStorable = (value: unknown, path: string): void => {
  if (typeof value === 'string' && !isStorable(value)) {
    throw invalidRequest({ path, message: 'must not hold NUL characters or unpaired surrogates' });
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalidRequest({ path, message: 'must be a finite number' });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) assertStorable(entry, `${path}/${key}`);
};
