import type { Request, RequestHandler, Response } from 'express';
import type { Knex } from 'knex';
import { answerContext, isKeyTaken } from '../../db/audit/audited-transaction.ts';
import type { Caller } from '../../domain/access.ts';
import type { AuditContext } from '../../domain/audit.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { Inspect } from '../../domain/version-check.ts';
import type { Encryption } from '../../runtime/encryption.ts';
import type { Turns } from '../generated/openapi-types.ts';
import { clientAddress } from '../request/client-address.ts';
import { ApiError } from '../errors/errors.ts';
import { createReplay, type ReplayDeps } from './idempotency.ts';
import { sendEvents, type EventAnswer } from '../answers/events.ts';
import { sendList, paced, sendStream, SLICE, type StreamedAnswer } from '../answers/stream.ts';
import { hiddenFrom } from '../answers/visible.ts';
import { localsOf, type Locals } from '../request/locals.ts';
import type { Operations } from '../request/operations.ts';
import { mapList, type ListBody } from '../request/page.ts';
import type { Guard, Operation, OperationId } from '../request/specification.ts';
import { sendStatic, type StaticAnswer } from '../answers/static.ts';

/** A validated request, as its handler sees it. */
export interface ApiRequest<Id extends OperationId> {
  readonly params: Operations[Id]['params'];
  readonly query: Operations[Id]['query'];
  readonly body: Operations[Id]['body'];
  /** The body's bytes; empty without a body. */
  readonly bytes: Buffer;
  /** The caller; null for operations that are not for integrations. */
  readonly caller: Operations[Id]['access'] extends 'integration' ? Caller : null;
  /** The audit context of a change; null for operations that are not for integrations. */
  readonly audit: Operations[Id]['access'] extends 'integration' ? AuditContext : null;
  /** Inspects diamonds; null unless the operation has turns of the kind `slow`. */
  readonly inspect: Turns[Id] extends 'slow' ? Inspect : null;
  readonly requestId: string;
  /** True when the client wants the whole list as a file. */
  readonly wantsFile: boolean;
  /** True when the client wants events. */
  readonly wantsEvents: boolean;
  /** The `Authorization` header, for HTTP Basic. */
  readonly authorization: string | undefined;
}

/** Parse, authorise, one call, map. Refusals are thrown. */
export type Handler<Id extends OperationId> = (
  request: ApiRequest<Id>,
) => Promise<
  | Operations[Id]['result']
  | (Operations[Id]['access'] extends 'public' ? StaticAnswer : never)
  | ([Operations[Id]['streams']] extends [never] ? never : StreamedAnswer)
  | ([Operations[Id]['events']] extends [never] ? never : EventAnswer)
>;

/** The dependency of most handlers. */
export interface HandlerDeps {
  readonly knex: Knex;
}

/** One handler for each operation; the compiler and `assertComplete` check it. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode half of a surrogate pair. */
const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);

/**
 * Refuses values that cannot be stored unchanged: such texts, and infinite numbers, which the validator accepts in a query.
 * Runs after the validator, so that depth and size are bounded.
 * @throws DomainError invalid_request with the path of the value
 */
const assertStorable = (value: unknown, path: string): void => {
  if (typeof value === 'string' && !isStorable(value)) {
    throw invalidRequest({ path, message: 'must not contain NUL characters or unpaired surrogates' });
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalidRequest({ path, message: 'must be a finite number' });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) assertStorable(entry, `${path}/${key}`);
};

/** Throws unless every operation has a handler and every handler an operation. */
export const assertComplete = (operations: readonly Operation[], handlers: Handlers): void => {
  const ids = operations.map(({ id }) => id);
  const missing = ids.filter((id) => !Object.hasOwn(handlers, id));
  const unknown = Object.keys(handlers).filter((id) => !(ids as string[]).includes(id));
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (missing.length + unknown.length + twice.length === 0) return;
  throw new Error(
    `openapi.yaml and the handlers differ: without handler: ${missing.join(', ') || 'none'}; ` +
      `without operation: ${unknown.join(', ') || 'none'}; operationId twice: ${twice.join(', ') || 'none'}`,
  );
};

/** The map of all handlers loses the types of each; the validator has checked the request by then. */
type AnyAnswer = { status: number; body: unknown } | StaticAnswer | StreamedAnswer | EventAnswer;
type AnyHandler = (request: never) => Promise<AnyAnswer>;

/** The caller, its address and its idempotency key; null for operations without a caller. */
const auditOf = (
  request: Request,
  { caller, requestId, idempotency }: Locals,
  encryption: Encryption,
): AuditContext | null => {
  if (caller === undefined) return null;
  const { actorId, nodeId } = caller;
  const address = clientAddress(request);
  if (idempotency === undefined) return { actorId, actorNodeId: nodeId, requestId, address, idempotency: null };
  const context = answerContext(actorId, idempotency.target, idempotency.key);
  const encrypt = (answer: string): Uint8Array => encryption.encrypt(context, answer);
  return { actorId, actorNodeId: nodeId, requestId, address, idempotency: { ...idempotency, encrypt } };
};

/** Sends an answer, mostly as JSON. Does not use Express's `json`, which also handles conditional requests. */
const sendWhole = async (
  response: Response,
  answer: Exclude<AnyAnswer, StreamedAnswer | StaticAnswer | EventAnswer>,
  node: string,
  hide: ReturnType<typeof hiddenFrom>,
): Promise<void> => {
  response.statusCode = answer.status;
  if (answer.body === null) return void response.end();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const text = JSON.stringify(hide === null ? answer.body : hide(answer.body));
  if (text.length > SLICE) await paced(response, node, text);
  response.end(text);
};

/** Sends an answer. Lists, files and long answers are sent at the pace of the caller's node. */
const send = async (response: Response, answer: AnyAnswer, { id, turns }: Operation): Promise<void> => {
  const { caller } = localsOf(response);
  const node = caller?.nodeId ?? '';
  const hide = hiddenFrom(id, caller);
  if ('parts' in answer) return sendStream(response, answer, node);
  if ('begin' in answer) return sendEvents(response, answer);
  if ('forms' in answer) return sendStatic(response.req, response, answer);
  if (turns !== 'list') return sendWhole(response, answer, node, hide);
  const { body } = answer as { body: ListBody<unknown> };
  return sendList(response, hide === null ? body : mapList(body, hide), node);
};

/**
 * True when an earlier request with the same key may have caused the failure. A caller whose credentials have ended
 * meanwhile gets no stored answer.
 */
const mayBeRepeated = (error: unknown): boolean => {
  if (error instanceof ApiError) return error.code !== 'invalid_token';
  return isKeyTaken(error) || (error instanceof DomainError && !error.isUnlikeEarlier);
};

const noBytes = Buffer.alloc(0);

interface RunDeps extends ReplayDeps {
  readonly inspect: Inspect;
}

/**
 * Calls the operation's handler with the validated request and sends its answer, or the stored answer of an earlier
 * request.
 */
export const createRunHandler = (deps: RunDeps, handlers: Handlers): Guard => {
  const replay = createReplay(deps);
  const run = (operation: Operation): RequestHandler => {
    const { id, needsBody, turns } = operation;
    const handler: AnyHandler = handlers[id];
    const serve = async (request: Request, response: Response): Promise<void> => {
      // The validator accepts a missing body where none of its members is required.
      if (needsBody && request.body === undefined) {
        throw invalidRequest({ path: '/body', message: 'is required' });
      }
      assertStorable(request.query, '/query');
      assertStorable(request.body, '/body');
      const locals = localsOf(response);
      const audit = auditOf(request, locals, deps.encryption);
      try {
        const answer = await handler({
          params: request.params,
          query: request.query,
          body: request.body as unknown,
          bytes: locals.bytes ?? noBytes,
          caller: locals.caller ?? null,
          audit,
          inspect: turns === 'slow' ? deps.inspect : null,
          requestId: locals.requestId,
          wantsFile: locals.wantsFile ?? false,
          wantsEvents: locals.wantsEvents ?? false,
          authorization: request.headers.authorization,
        } as never);
        if (id === 'createPayment') locals.createdPayment = (answer as { body: { id: string } }).body.id;
        await send(response, answer, operation);
      } catch (error) {
        const { caller } = locals;
        if (caller === undefined || audit?.idempotency == null || !mayBeRepeated(error)) throw error;
        const earlier = await replay({ operation: id, id: request.params.id as string | undefined, caller, audit });
        if (earlier === null) throw error;
        response.status(earlier.status).setHeader('Idempotent-Replayed', 'true');
        response.type('json').send(earlier.text);
      }
    };
    return (request, response) => {
      // The client has disconnected.
      if (response.destroyed) return;
      return (localsOf(response).work = serve(request, response));
    };
  };
  return (operation) => [run(operation)];
};
