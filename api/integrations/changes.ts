/** Integrations come, change and end: no caller grants, takes over or ends what it lacks, and nothing outlives its creator. */
import type { Knex } from 'knex';
import { auditedTransaction, recordChange } from '../../db/audit/audited-transaction.ts';
import {
  findAdmin,
  insertIntegration,
  lockIntegrations,
  markRevoked,
  rotateSecret,
} from '../../db/integrations/integrations.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { assertHolds, permissions as allPermissions, type Caller, type Permission } from '../../domain/access.ts';
import { changed, created, withoutBody, type AuditContext } from '../../domain/audit.ts';
import { DomainError, found, invalidRequest, notFound } from '../../domain/errors.ts';
import { hashSecret, makeCredentials, storedCredentials, type Credentials } from '../auth/credentials.ts';
import { invalidToken } from '../errors/errors.ts';
import { toIntegration, toNewIntegration } from './response.ts';

/** Who changes an integration, and what it is recorded as. */
interface Actor {
  readonly caller: Caller;
  readonly audit: AuditContext;
}

/**
 * Integrations locked together with the caller's own, which may have lost meanwhile what it was allowed a moment ago.
 * `own` is null for callers without one.
 * @throws ApiError invalid_token
 */
const lockWithOwn = async (trx: Knex.Transaction, { integrationId, nodeId }: Caller, ids: readonly string[]) => {
  const locked = await lockIntegrations(trx, nodeId, integrationId === null ? ids : [...ids, integrationId]);
  const own = integrationId === null ? null : locked.get(integrationId);
  if (own !== null && own?.is_live !== true) throw invalidToken('The integration is revoked or expired');
  return { locked, own };
};

/** The live integration of this id in the caller's reach, locked, and the caller's own one. */
const lockTarget = async (trx: Knex.Transaction, caller: Caller, id: string) => {
  const { locked, own } = await lockWithOwn(trx, caller, [id]);
  const target = locked.get(id);
  if (target === undefined || !target.in_reach || !target.is_live) throw notFound('integration');
  return { own, target };
};

/** What an integration shall be. */
export interface WantedIntegration {
  readonly nodeId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** Null: the end of its creator, if that has one. */
  readonly expiresAt: Date | null;
}

/** Makes an integration and answers it with its secret. */
export const createIntegration = async (knex: Knex, { caller, audit }: Actor, wanted: WantedIntegration) => {
  const { name, permissions, expiresAt } = wanted;
  assertHolds(caller, permissions, 'The integration cannot grant permissions that it lacks');
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

/** Gives an integration another secret and answers it. The one before stays good for the overlap. */
export const rotateIntegration = (knex: Knex, { caller, audit }: Actor, id: string, overlapSeconds: number) =>
  auditedTransaction(knex, audit, async (trx) => {
    const { own, target } = await lockTarget(trx, caller, id);
    // Who rotates learns the secret, and with it can do all that the integration may, for as long as it lives.
    assertHolds(caller, target.permissions, 'The integration holds permissions that the caller lacks');
    const limit = own?.expires_at ?? null;
    if (limit !== null && (target.expires_at === null || target.expires_at > limit)) {
      throw new DomainError(
        'permission_denied',
        `The integration expires after the caller, which expires at ${limit.toISOString()}`,
      );
    }
    const { secret } = makeCredentials();
    const rotated = await rotateSecret(trx, id, hashSecret(secret), overlapSeconds);
    const after = {
      ...toIntegration(rotated),
      previous_secret_expires_at: rotated.previous_secret_until?.toISOString() ?? null,
    };
    return {
      answer: { status: 200 as const, body: { ...after, secret } },
      change: changed('integration.rotated', toIntegration(target), after),
    };
  });

/** Ends an integration for good. */
export const revokeIntegration = (knex: Knex, { caller, audit }: Actor, id: string) =>
  auditedTransaction(knex, audit, async (trx) => {
    const { target } = await lockTarget(trx, caller, id);
    assertHolds(caller, target.permissions, 'The integration holds permissions that the caller lacks');
    await markRevoked(trx, id);
    return withoutBody(changed('integration.revoked', toIntegration(target), null));
  });

/** What the admin integration of a node shall be. */
export interface AdminRequest {
  readonly nodeId: string;
  readonly name: string;
  /** Credentials that the installer has kept already; random ones when absent. */
  readonly credentials?: Credentials;
}

/** The admin integration. The secret is null when it existed before, because only its hash is stored. */
export interface Admin {
  readonly id: string;
  readonly apiKey: string;
  readonly secret: string | null;
}

/** The integration of that name on the node with every permission, made once, however many processes ask for it. */
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
