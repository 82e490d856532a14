import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import { recordChange, answerContext, findAnswer } from '../../db/audit/audited-transaction.ts';
import { isErased } from '../../db/audit/erase-answers.ts';
import { ownerWithin } from '../../db/nodes/nodes.ts';
import type { Caller, Permission } from '../../domain/access.ts';
import type { AuditContext } from '../../domain/audit.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Encryption } from '../../runtime/encryption.ts';
import { assertHolds, ApiError } from '../errors/errors.ts';
import { localsOf, type Locals } from '../request/locals.ts';
import type { Guard, Operation, OperationId } from '../request/specification.ts';
import { hiddenFrom } from '../answers/visible.ts';

const MAX_KEY_CHARACTERS = 255;

/** A canonical text: equal for every order of members and any white space. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((entry) => canonical(entry)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, entry]) => `${JSON.stringify(name)}:${canonical(entry)}`).join()}}`;
};

/**
 * The target of a key: the operation and its decoded parameters, so that another spelling of the path is the same target.
 */
const targetOf = ({ path }: Operation, params: Locals['pathParams'] = {}): string =>
  `POST ${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => decodeURIComponent(params[name] ?? '').toLowerCase())}`;

const readKey =
  (operation: Operation): RequestHandler =>
  (request, response, next) => {
    const keys = request.headersDistinct['idempotency-key'] ?? [];
    if (keys.length > 0) {
      const [key = ''] = keys;
      if (keys.length > 1 || key.length > MAX_KEY_CHARACTERS || !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
        throw invalidRequest({
          path: '/headers/idempotency-key',
          message: `must be one header of 1 to ${MAX_KEY_CHARACTERS} printable ASCII characters`,
        });
      }
      const locals = localsOf(response);
      const requestHash = createHash('sha256')
        .update(canonical(request.body as unknown))
        .update(Object.keys(request.query).length === 0 ? '' : canonical(request.query))
        .digest();
      locals.idempotency = { key, target: targetOf(operation, locals.pathParams), requestHash };
    }
    next();
  };

/** Reads the header `Idempotency-Key` of an integration's POST; other requests ignore it. */
export const readIdempotencyKey: Guard = (operation) =>
  operation.access === 'integration' && operation.method === 'post' ? [readKey(operation)] : [];

/** A stored answer. */
export interface RepeatedAnswer {
  readonly status: number;
  readonly text: string;
}

export interface ReplayDeps {
  readonly knex: Knex;
  readonly encryption: Encryption;
}

/** The members of an answer that decide who may see it. */
interface Shown {
  readonly id?: string;
  readonly node_id?: string | null;
  readonly wallet_id?: string | null;
  readonly permissions?: readonly Permission[];
}

/** A failed request that may have been answered before. */
export interface Repeated {
  readonly operation: OperationId;
  /** The id in the request's path. */
  readonly id: string | undefined;
  readonly caller: Caller;
  readonly audit: AuditContext;
}

/**
 * Checks, after a handler has failed, whether an earlier request with the same key is the reason, and returns that
 * request's answer. A first request never pays for this check.
 *
 * Authorises the reader again, because the same caller may use a token with fewer rights: the operation's guard has checked
 * the permission; the reach of the answer's node and the permissions it hands out are checked here, and what the caller
 * may not see is hidden. The present state of the resource does not matter: a stored 201 stays a 201.
 * @returns null when the failure stands
 * @throws ApiError idempotency_key_reused when the earlier request had another body, or its answer was erased
 * @throws DomainError permission_denied when the answer hands out permissions that the caller lacks
 */
export const createReplay =
  ({ knex, encryption }: ReplayDeps) =>
  async ({ operation, id, caller, audit }: Repeated): Promise<RepeatedAnswer | null> => {
    const stored = await findAnswer(knex, audit);
    if (stored === null || audit.idempotency === null) return null;
    const { key, target, requestHash } = audit.idempotency;
    if (isErased(stored.request_hash)) {
      throw new ApiError(
        'idempotency_key_reused',
        'The Idempotency-Key was used, and its answer was erased with a member',
      );
    }
    if (!stored.request_hash.equals(requestHash)) {
      throw new ApiError('idempotency_key_reused', 'The Idempotency-Key was already used for another request');
    }
    const text = encryption.decrypt(answerContext(audit.actorId, target, key), stored.encrypted_answer);
    const shown = JSON.parse(text) as Shown;
    const owner = {
      nodeId: shown.node_id ?? null,
      // The answers for a deployment's step, a cancel and a delivery name neither; their paths do.
      resourceId: shown.wallet_id ?? id ?? null,
      // Alerts without a node are only for callers without a parent node.
      isOperators: operation === 'closeAlert',
    };
    const nodeId = await ownerWithin(knex, caller.nodeId, owner);
    if (nodeId === null) return null;
    assertHolds(
      caller,
      shown.permissions ?? [],
      'The answer shows an integration with permissions that the caller lacks',
    );
    await recordChange(knex, audit, {
      action: 'answer.replayed',
      nodeId,
      resourceId: shown.id ?? id ?? nodeId,
      before: null,
      after: { operation, status: stored.status },
    });
    const hide = hiddenFrom(operation, caller);
    return { status: stored.status, text: hide === null ? text : JSON.stringify(hide(shown)) };
  };
