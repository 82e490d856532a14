import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { auditedTransaction, recordChange } from '../../db/audit/audited-transaction.ts';
import {
  findAdmin,
  insertIntegration,
  lockIntegrations,
  markRevoked,
  rotateIntegrationSecret,
  findLiveIntegration,
  listIntegrations,
  type ListedIntegrationModel,
} from '../../db/integrations/integrations.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import {
  permissions as allPermissions,
  inheritedPermissions,
  type Caller,
  type Permission,
} from '../../domain/access.ts';
import { changed, created, withoutBody, type AuditContext } from '../../domain/audit.ts';
import { DomainError, found, invalidRequest, notFound } from '../../domain/errors.ts';
import type { IntegrationGate } from '../auth/authenticate.ts';
import { hashSecret, makeCredentials, storedCredentials, type Credentials } from '../auth/credentials.ts';
import { assertGrants, assertHolds, invalidToken } from '../errors/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { toDate } from '../request/formats.ts';
import { pageBody, pageRequest } from '../request/page.ts';

/** A new integration as the API answers it, without its secret. */
const toNewIntegration = (integration: ListedIntegrationModel) => ({
  id: integration.id,
  node_id: integration.node_id,
  name: integration.name,
  api_key: integration.api_key,
  permissions: integration.permissions,
  expires_at: integration.expires_at?.toISOString() ?? null,
  created_at: integration.created_at.toISOString(),
});

/** An integration as the API answers it. */
const toIntegration = (integration: ListedIntegrationModel) => ({
  ...toNewIntegration(integration),
  last_used_at: integration.last_used_at?.toISOString() ?? null,
  revoked_at: integration.revoked_at?.toISOString() ?? null,
});

/*
 * Changes of integrations. No caller grants, takes over or revokes permissions that it lacks, and no integration
 * outlives its creator.
 */

/** The caller of a change, and the context of its audit entry. */
interface Actor {
  readonly caller: Caller;
  readonly audit: AuditContext;
}

/**
 * Locks integrations together with the caller's own, which may have lost a permission or ended meanwhile. `own` is null
 * for callers without an integration.
 * @throws ApiError invalid_token
 */
const lockWithOwn = async (trx: Knex.Transaction, { integrationId, nodeId }: Caller, ids: readonly string[]) => {
  const locked = await lockIntegrations(trx, nodeId, integrationId === null ? ids : [...ids, integrationId]);
  const own = integrationId === null ? null : locked.get(integrationId);
  if (own !== null && own?.is_live !== true) throw invalidToken('The integration is revoked or expired');
  return { locked, own };
};

/** Locks the live integration of this id in the caller's reach, and the caller's own. */
const lockTarget = async (trx: Knex.Transaction, caller: Caller, id: string) => {
  const { locked, own } = await lockWithOwn(trx, caller, [id]);
  const target = locked.get(id);
  if (target === undefined || !target.in_reach || !target.is_live) throw notFound('integration');
  return { own, target };
};

/** Properties of an integration to create. */
interface WantedIntegration {
  readonly nodeId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** Null: its creator's expiry, if any. */
  readonly expiresAt: Date | null;
}

/** Creates an integration and returns it with its secret. */
export const createIntegration = async (knex: Knex, { caller, audit }: Actor, wanted: WantedIntegration) => {
  const { name, permissions, expiresAt } = wanted;
  assertGrants(caller, permissions);
  const node = found(await findNode(knex, caller.nodeId, wanted.nodeId), 'node');
  const credentials = makeCredentials();
  return auditedTransaction(knex, audit, async (trx) => {
    const { own } = await lockWithOwn(trx, caller, []);
    const limit = own?.expires_at ?? null;
    if (limit !== null && expiresAt !== null && expiresAt > limit) {
      throw invalidRequest({ path: '/body/expires_at', message: `must not be after ${limit.toISOString()}` });
    }
    const after = toNewIntegration(
      await insertIntegration(trx, {
        node_id: node.id,
        name,
        permissions,
        expires_at: expiresAt ?? limit,
        created_by: caller.integrationId,
        ...storedCredentials(credentials),
      }),
    );
    return created('integration', after, { secrets: { secret: credentials.secret } });
  });
};

/** Replaces an integration's secret and returns the new one. The previous secret stays valid for the overlap. */
export const rotateIntegration = (knex: Knex, { caller, audit }: Actor, id: string, overlapSeconds: number) =>
  auditedTransaction(knex, audit, async (trx) => {
    const { own, target } = await lockTarget(trx, caller, id);
    // The rotator learns the secret, and with it gets every permission of the integration for as long as it lives.
    assertHolds(caller, target.permissions, 'The integration holds permissions that the caller lacks');
    const limit = own?.expires_at ?? null;
    if (limit !== null && (target.expires_at === null || target.expires_at > limit)) {
      throw new DomainError(
        'permission_denied',
        `The integration expires after the caller, which expires at ${limit.toISOString()}`,
      );
    }
    const { secret } = makeCredentials();
    const rotated = await rotateIntegrationSecret(trx, id, hashSecret(secret), overlapSeconds);
    const after = {
      ...toIntegration(rotated),
      previous_secret_expires_at: rotated.previous_secret_until?.toISOString() ?? null,
    };
    return {
      answer: { status: 200 as const, body: { ...after, secret } },
      change: changed('integration.rotated', toIntegration(target), after),
    };
  });

export const revokeIntegration = (knex: Knex, { caller, audit }: Actor, id: string) =>
  auditedTransaction(knex, audit, async (trx) => {
    const { target } = await lockTarget(trx, caller, id);
    assertHolds(caller, target.permissions, 'The integration holds permissions that the caller lacks');
    await markRevoked(trx, id);
    return withoutBody(changed('integration.revoked', toIntegration(target), null));
  });

/** Properties of a node's admin integration. */
interface AdminRequest {
  readonly nodeId: string;
  readonly name: string;
  /** Credentials that the installer has stored already; random when absent. */
  readonly credentials?: Credentials;
}

/** The admin integration. The secret is null when the integration existed already, because only its hash is stored. */
interface Admin {
  readonly id: string;
  readonly apiKey: string;
  readonly secret: string | null;
}

/** Returns the node's integration of that name, with every permission. Parallel processes create it once. */
export const ensureAdmin = (knex: Knex, { nodeId, name, credentials = makeCredentials() }: AdminRequest) =>
  knex.transaction(async (trx): Promise<Admin> => {
    const existing = await findAdmin(trx, nodeId, name);
    if (existing !== undefined) return { id: existing.id, apiKey: existing.api_key, secret: null };
    const after = toNewIntegration(
      await insertIntegration(trx, {
        node_id: nodeId,
        name,
        permissions: allPermissions,
        expires_at: null,
        created_by: null,
        ...storedCredentials(credentials),
      }),
    );
    await recordChange(trx, null, changed('integration.created', null, after));
    return { id: after.id, ...credentials };
  });

/** RFC 3339 has four-digit years, and an offset can lead beyond them. */
const LAST_TIMESTAMP_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

interface IntegrationDeps {
  readonly knex: Knex;
  readonly gate: IntegrationGate;
  /** Milliseconds for which any process may cache that an integration is live. */
  readonly revocationDelayMs: number;
}

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

/** Integrations: create, list, get, rotate, revoke. */
export const createIntegrationHandlers = ({
  knex,
  gate,
  revocationDelayMs,
}: IntegrationDeps): Pick<
  Handlers,
  'createIntegration' | 'listIntegrations' | 'getIntegration' | 'rotateIntegration' | 'revokeIntegration'
> => ({
  createIntegration: async ({ body, ...actor }) =>
    createIntegration(knex, actor, {
      nodeId: body.node_id,
      name: body.name,
      // The token's permissions count, so a token with a narrower scope grants no more than its scope.
      permissions: body.permissions ?? inheritedPermissions(actor.caller.permissions),
      expiresAt: chosenEnd(body.expires_at),
    }),

  listIntegrations: async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = found(await findNode(knex, caller.nodeId, query.node_id), 'node');
    const { include_descendants: includeDescendants, include_ended: includeEnded } = query;
    const page = await listIntegrations(knex, { nodeId: node.id, includeDescendants, includeEnded }, request);
    return { status: 200, body: pageBody(page, request, toIntegration) };
  },

  getIntegration: async ({ params, caller }) => {
    const integration = found(await findLiveIntegration(knex, caller.nodeId, params.id), 'integration');
    return { status: 200, body: toIntegration(integration) };
  },

  rotateIntegration: ({ params, body, ...actor }) =>
    rotateIntegration(knex, actor, params.id.toLowerCase(), body.overlap_seconds ?? 0),

  revokeIntegration: async ({ params, ...actor }) => {
    const id = params.id.toLowerCase();
    const answer = await revokeIntegration(knex, actor, id);
    gate.forget(id);
    // Each process may use the state that it read before the commit for this long. Once the client has its answer,
    // every process has read again, so no later request of the integration gets in. A late answer is cheaper than a
    // query for every request. A timer may fire a millisecond early.
    if (revocationDelayMs > 0) await delay(revocationDelayMs + 1);
    return answer;
  },
});
