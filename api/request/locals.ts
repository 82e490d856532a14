import type { Response } from 'express';
import type { Caller } from '../../domain/access.ts';
import type { IdempotencyKey } from '../../domain/audit.ts';
import { isUuid } from '../../domain/tools/is-uuid.ts';
import type { Operation } from './specification.ts';

/** The state of a request. Each middleware adds its part, in the order of `app.ts`. */
export interface Locals {
  requestId: string;
  /** Set once the route is known. */
  operation?: Operation;
  /** Values of the path template, not validated yet. */
  pathParams?: Readonly<Record<string, string>>;
  /** The payment that the request has created. */
  createdPayment?: string;
  /** The body's bytes, once they are read. */
  bytes?: Buffer;
  /** Set for operations of integrations. */
  caller?: Caller;
  /** The client's address, for the log; set when the request is refused for its sender or its rate. */
  address?: string | null;
  /** True for an error that is a fault of this installation; unset while there was none. */
  isFault?: boolean;
  /** Set once the handler has begun, which goes on when the client disconnects. */
  work?: Promise<void>;
  /** True when the client wants the list as a file; set for such lists. */
  wantsFile?: boolean;
  /** True when the client wants events; set for operations that have them. */
  wantsEvents?: boolean;
  /** True for a HEAD request. */
  isHead?: boolean;
  /** Set when the request has an idempotency key. */
  idempotency?: Omit<IdempotencyKey, 'encrypt'>;
}

/** The id of the payment that a request is about, in lower case; undefined if it is about none. Whether it exists is not known. */
export const paymentOf = ({ operation, pathParams, createdPayment }: Locals): string | undefined => {
  const id = operation?.path.includes('/payments/{id}') ? pathParams?.id : createdPayment;
  return id !== undefined && isUuid(id) ? id.toLowerCase() : undefined;
};

export const localsOf = (response: Response): Locals => response.locals as Locals;
