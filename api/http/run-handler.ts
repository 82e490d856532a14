import type { Request, RequestHandler, Response } from 'express';
import type { AuditContext } from '../../domain/audit.ts';
import { DomainError } from '../../domain/errors.ts';
import { isKeyTaken } from '../../db/audit/idempotency.ts';
import { clientAddress } from '../limits/client-address.ts';
import { ApiError } from './errors.ts';
import { assertStorable } from './handler.ts';
import { answerContext, createReplay, type ReplayDeps } from './idempotency.ts';
import { localsOf, type Locals } from './locals.ts';
import type { Encryption } from '../auth/encryption.ts';

/** What the compiler knows of each handler ends at a map of all of them; the validator has checked the request by then. */
export type AnyHandler = (request: never) => Promise<{ status: number; body: unknown }>;

/** Who does it, from where, under which key; null for operations without a caller. */
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

/**
 * Sends an answer as JSON. Express would look for what only pages need, such as whether the client has it already.
 * Where answers are validated, the validator has put itself in the place of `json`.
 */
const sendJson = (response: Response, body: unknown): void => {
  if (Object.hasOwn(response, 'json')) return void response.json(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
};

/** Calls a handler with the validated request and sends its answer, or what an earlier request was answered. */
export const createRunHandler = (deps: ReplayDeps): ((handler: AnyHandler) => RequestHandler) => {
  const replay = createReplay(deps);
  return (handler) => async (request, response) => {
    assertStorable(request.query, '/query');
    assertStorable(request.body, '/body');
    const locals = localsOf(response);
    const audit = auditOf(request, locals, deps.encryption);
    try {
      const { status, body } = await handler({
        params: request.params,
        query: request.query,
        body: request.body as unknown,
        caller: locals.caller ?? null,
        audit,
        requestId: locals.requestId,
        authorization: request.headers.authorization,
      } as never);
      response.status(status);
      if (typeof body === 'string') response.type('html').send(body);
      else if (body === null) response.end();
      else sendJson(response, body);
    } catch (error) {
      const isRefusal = error instanceof DomainError || error instanceof ApiError;
      if (audit?.idempotency == null || !(isRefusal || isKeyTaken(error))) throw error;
      const earlier = await replay(audit);
      if (earlier === null) throw error;
      response.status(earlier.status).setHeader('Idempotent-Replayed', 'true');
      response.type('json').send(earlier.text);
    }
  };
};
