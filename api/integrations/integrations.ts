import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { lackedPermissions, type Caller, type Permission } from '../../domain/access.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import {
  lockIntegrations,
  revokeIntegration,
  rotateSecret,
  type LockedIntegration,
} from '../../db/integrations/changes.ts';
import {
  findLiveIntegration,
  insertIntegration,
  listIntegrations,
  makeCredentials,
} from '../../db/integrations/integrations.ts';
import type { IntegrationModel } from '../../db/integrations/model.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { invalidToken } from '../http/errors.ts';
import { toDate } from '../http/formats.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import type { IntegrationGate } from '../auth/integration-gate.ts';
import { pageBody, pageRequest } from '../http/page.ts';

/** RFC 3339 writes years with four digits, and an offset may lead beyond. */
const LAST_TIMESTAMP_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export interface IntegrationDeps {
  readonly knex: Knex;
  readonly gate: IntegrationGate;
  /** Milliseconds for which any process may remember that an integration is live. */
  readonly revocationDelayMs: number;
}

const toNewIntegration = (integration: IntegrationModel) => ({
  id: integration.id,
  node_id: integration.node_id,
  name: integration.name,
  api_key: integration.api_key,
  permissions: integration.permissions,
  expires_at: integration.expires_at?.toISOString() ?? null,
  created_at: integration.created_at.toISOString(),
});

const toIntegration = (integration: IntegrationModel) => ({
  ...toNewIntegration(integration),
  last_used_at: integration.last_used_at?.toISOString() ?? null,
  revoked_at: integration.revoked_at?.toISOString() ?? null,
});

const nodeNotFound = (): DomainError => new DomainError('node_not_found', 'There is no such node');
const notFound = (): DomainError => new DomainError('integration_not_found', 'There is no such integration');

/** @throws DomainError permission_denied that names what the caller lacks */
const assertHolds = (caller: Caller, wanted: readonly Permission[], rule: string): void => {
  const lacked = lackedPermissions(caller, wanted);
  if (lacked.length > 0) throw new DomainError('permission_denied', `${rule}: ${lacked.join(', ')}`);
};

/**
 * The caller's own integration, locked with the others: what it was allowed a moment ago it may have lost meanwhile.
 * Null for callers without one.
 * @throws ApiError invalid_token
 */
const liveCaller = (caller: Caller, locked: ReadonlyMap<string, LockedIntegration>): LockedIntegration | null => {
  if (caller.integrationId === null) return null;
  const own = locked.get(caller.integrationId);
  if (own?.is_live !== true) throw invalidToken('The integration has ended');
  return own;
};

const chosenEnd = (text: string | null | undefined): Date | null => {
  const end = text == null ? null : toDate(text);
  if (end !== null && end.getTime() <= Date.now()) {
    throw invalidRequest({ path: '/body/expires_at', message: 'must be in the future' });
  }
  if (end !== null && end.getTime() > LAST_TIMESTAMP_MS) {
    throw invalidRequest({ path: '/body/expires_at', message: 'must be before the year 10000 in UTC' });
  }
  return end;
};

/** Integrations: nobody grants, takes over or ends what they lack themselves, and nothing outlives its creator. */
export const createIntegrationHandlers = ({
  knex,
  gate,
  revocationDelayMs,
}: IntegrationDeps): Pick<
  Handlers,
  'createIntegration' | 'listIntegrations' | 'getIntegration' | 'rotateIntegration' | 'revokeIntegration'
> => {
  const createIntegration: Handler<'createIntegration'> = async ({ body, caller, audit }) => {
    const expiresAt = chosenEnd(body.expires_at);
    // The caller's permissions are the token's: a token of a narrower scope grants no more than that.
    const permissions = body.permissions ?? caller.permissions;
    assertHolds(caller, permissions, 'The integration can not grant what it lacks');
    const node = await findNode(knex, caller.nodeId, body.node_id);
    if (node === null) throw nodeNotFound();
    const credentials = makeCredentials();
    return auditedTransaction(knex, audit, async (trx) => {
      const own = caller.integrationId === null ? [] : [caller.integrationId];
      const creator = liveCaller(caller, await lockIntegrations(trx, caller.nodeId, own));
      const limit = creator?.expires_at ?? null;
      if (limit !== null && expiresAt !== null && expiresAt > limit) {
        throw invalidRequest({ path: '/body/expires_at', message: `must not be after ${limit.toISOString()}` });
      }
      const request = { nodeId: node.id, name: body.name, permissions, expiresAt: expiresAt ?? limit };
      const row = await insertIntegration(trx, { ...request, createdBy: caller.integrationId }, credentials);
      const after = toNewIntegration(row);
      const change = { nodeId: node.id, resourceId: row.id, before: null, after };
      const created = { ...after, secret: credentials.secret };
      return { answer: { status: 201 as const, body: created }, change: { action: 'integration.created', ...change } };
    });
  };

  const list: Handler<'listIntegrations'> = async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = await findNode(knex, caller.nodeId, query.node_id);
    if (node === null) throw nodeNotFound();
    const filter = {
      nodeId: node.id,
      includeDescendants: query.include_descendants,
      includeEnded: query.include_ended,
    };
    return { status: 200, body: pageBody(await listIntegrations(knex, filter, request), request, toIntegration) };
  };

  const getIntegration: Handler<'getIntegration'> = async ({ params, caller }) => {
    const integration = await findLiveIntegration(knex, caller.nodeId, params.id);
    if (integration === null) throw notFound();
    return { status: 200, body: toIntegration(integration) };
  };

  /** The live integration of this id in the caller's reach, locked, and the caller's own one. */
  const lockTarget = async (trx: Knex.Transaction, caller: Caller, id: string) => {
    const ids = [id.toLowerCase(), ...(caller.integrationId === null ? [] : [caller.integrationId])];
    const locked = await lockIntegrations(trx, caller.nodeId, ids);
    const own = liveCaller(caller, locked);
    const target = locked.get(id.toLowerCase());
    if (target === undefined || !target.in_scope || !target.is_live) throw notFound();
    return { own, target };
  };

  const rotateIntegration: Handler<'rotateIntegration'> = ({ params, body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const { own, target } = await lockTarget(trx, caller, params.id);
      // Whoever rotates learns the secret, and with it can do whatever the integration may, for as long as it lives.
      assertHolds(caller, target.permissions, 'The integration holds what its rotator lacks');
      const limit = own?.expires_at ?? null;
      if (limit !== null && (target.expires_at === null || target.expires_at > limit)) {
        throw new DomainError('permission_denied', `The integration outlives its rotator, ${limit.toISOString()}`);
      }
      const { secret } = makeCredentials();
      const rotated = await rotateSecret(trx, target.id, secret, body.overlap_seconds ?? 0);
      const after = {
        ...toIntegration(rotated),
        previous_secret_expires_at: rotated.previous_secret_until?.toISOString() ?? null,
      };
      const change = { nodeId: target.node_id, resourceId: target.id, before: toIntegration(target), after };
      return {
        answer: { status: 200 as const, body: { ...after, secret } },
        change: { action: 'integration.rotated', ...change },
      };
    });

  const revoke: Handler<'revokeIntegration'> = async ({ params, caller, audit }) => {
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const { target } = await lockTarget(trx, caller, params.id);
      assertHolds(caller, target.permissions, 'The integration holds what its revoker lacks');
      await revokeIntegration(trx, target.id);
      const change = { nodeId: target.node_id, resourceId: target.id, before: toIntegration(target), after: null };
      return { answer: { status: 204 as const, body: null }, change: { action: 'integration.revoked', ...change } };
    });
    gate.forget(params.id.toLowerCase());
    // Each process may believe for this long what it read before the commit. When the client has its answer, all of them
    // have read again: no request that is sent after it, to whichever process, is let in. The answer may come late, the
    // check of every request may not cost a query. A timer may fire a millisecond early.
    if (revocationDelayMs > 0) await delay(revocationDelayMs + 1);
    return answer;
  };

  return { createIntegration, listIntegrations: list, getIntegration, rotateIntegration, revokeIntegration: revoke };
};
