import type { Response } from 'express';
import type { Caller } from '../../domain/access.ts';
import type { IdempotencyKey } from '../../domain/audit.ts';
import type { Operation } from './specification.ts';

/** What the middlewares know of a request, each adding its part in the order of `app.ts`. */
export interface Locals {
  requestId: string;
  /** Set once the route is known. */
  operation?: Operation;
  /** Values of the path template, not yet validated. */
  pathParams?: Readonly<Record<string, string>>;
  /** The body as it was sent, once it is read. */
  bytes?: Buffer;
  /** Set for operations of integrations. */
  caller?: Caller;
  /** Set when the request was refused for who sent it, or how often: the log has it then. */
  address?: string | null;
  /** Set once the handler has begun; it goes on when the client breaks off. */
  work?: Promise<void>;
  /** Set where a list can be a file: whether the client wants it. */
  wantsFile?: boolean;
  /** Set when the request has an idempotency key. */
  idempotency?: Omit<IdempotencyKey, 'encrypt'>;
}

export const localsOf = (response: Response): Locals => response.locals as Locals;
