import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { permissions as allPermissions, type Permission } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';
import { IntegrationModel } from './model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { recordChange } from '../audit/audited-transaction.ts';
import { prepared, type Statement } from '../query/prepared.ts';
import { isUniqueViolation } from '../query/unique-violation.ts';

export interface NewIntegration {
  readonly nodeId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date | null;
  /** Integration that asked for it; null for the operator. */
  readonly createdBy: string | null;
}

/** An api_key with its secret in clear. It exists in memory only, to be shown once. */
export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}

/** Random credentials; the secret has 256 bits. */
export const makeCredentials = (): Credentials => ({
  apiKey: `ck_${randomBytes(16).toString('base64url')}`,
  secret: `cs_${randomBytes(32).toString('base64url')}`,
});

/** A random secret of 256 bits can not be guessed, so a fast hash keeps it as well as a slow one. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * Stores an integration. One of that name that has expired makes room.
 * @throws DomainError integration_exists when a live one of the node has that name
 */
export const insertIntegration = async (
  knex: Knex,
  integration: NewIntegration,
  credentials: Credentials,
): Promise<IntegrationModel> => {
  const { nodeId: node_id, name } = integration;
  try {
    await IntegrationModel.query(knex)
      .where({ node_id, name })
      .whereNull('revoked_at')
      .whereRaw('expires_at <= clock_timestamp()')
      .patch({ revoked_at: IntegrationModel.ref('expires_at') as unknown as Date });
    return await IntegrationModel.query(knex)
      .insert({
        node_id,
        name,
        api_key: credentials.apiKey,
        secret_hash: hashSecret(credentials.secret),
        permissions: [...integration.permissions],
        expires_at: integration.expiresAt,
        created_by: integration.createdBy,
      })
      .returning('*');
  } catch (error) {
    const { nativeError = error } = error as { nativeError?: unknown };
    if (!isUniqueViolation(nativeError, 'integrations_name')) throw error;
    throw new DomainError('integration_exists', 'The node has an integration of this name');
  }
};

/** The integration of this id, ended or not. */
export const findIntegration = async (knex: Knex, id: string): Promise<IntegrationModel | undefined> =>
  IntegrationModel.query(knex).findById(id);

/** A live integration of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findLiveIntegration = async (
  knex: Knex,
  scopeId: string,
  id: string,
): Promise<IntegrationModel | null> => {
  const integration = await IntegrationModel.query(knex)
    .findById(id)
    .whereRaw(isLive)
    .whereRaw('node_id IN (SELECT n.id FROM nodes n WHERE ?::uuid = ANY (n.path))', [scopeId]);
  return integration ?? null;
};

/** The integrations of one node, or with all below it, newest first. */
export const listIntegrations = (
  knex: Knex,
  filter: { readonly nodeId: string; readonly includeDescendants: boolean; readonly includeEnded: boolean },
  request: PageRequest,
): Promise<Page<IntegrationModel>> => {
  const query = IntegrationModel.query(knex);
  if (!filter.includeEnded) void query.whereRaw(isLive);
  if (filter.includeDescendants) {
    void query.whereRaw('node_id IN (SELECT id FROM nodes WHERE path @> ARRAY[?]::uuid[])', [filter.nodeId]);
  } else void query.where({ node_id: filter.nodeId });
  return fetchPage(query, request);
};

/** SQL: neither revoked nor past its end. */
export const isLive = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())';

const nobody = hashSecret(randomBytes(32).toString('base64url'));

/**
 * The live integration of these credentials, marked as used now; null if there is none. After a rotation the secret before
 * it counts too, until its overlap ends. Both are compared whatever the first comparison says, and an unknown api_key
 * costs the same work as a wrong secret.
 */
export const authenticate = async (knex: Knex, { apiKey, secret }: Credentials): Promise<IntegrationModel | null> => {
  const integration = await IntegrationModel.query(knex).findOne({ api_key: apiKey });
  const given = hashSecret(secret);
  const isCurrent = timingSafeEqual(integration?.secret_hash ?? nobody, given);
  const isPrevious = timingSafeEqual(integration?.previous_secret_hash ?? nobody, given);
  if (integration === undefined || !(isCurrent || isPrevious)) return null;
  // The statement judges again, because the secret may have been rotated or the integration revoked meanwhile.
  const used = await IntegrationModel.query(knex)
    .findById(integration.id)
    .whereRaw(isLive)
    .whereRaw('(secret_hash = ? OR (previous_secret_hash = ? AND previous_secret_until > clock_timestamp()))', [
      given,
      given,
    ])
    .patch({ last_used_at: knex.fn.now() as unknown as Date });
  return used === 1 ? integration : null;
};

const lifeStatement: Statement = {
  name: 'integration_life',
  text: 'SELECT expires_at, revoked_at FROM integrations WHERE id = $1',
};

/** When the integration ends or has ended; `'unknown'` if it is not there. */
export const integrationEnd = async (knex: Knex, id: string): Promise<Date | null | 'unknown'> => {
  const [row] = await prepared<{ expires_at: Date | null; revoked_at: Date | null }>(knex, lifeStatement, [id]);
  if (row === undefined) return 'unknown';
  return row.revoked_at === null ? row.expires_at : new Date(0);
};

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
export const ensureAdmin = (knex: Knex, request: AdminRequest): Promise<Admin> =>
  knex.transaction(async (trx) => {
    await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat admin integration'))`);
    const { nodeId, name, credentials = makeCredentials() } = request;
    const existing = await IntegrationModel.query(trx).findOne({ node_id: nodeId, name }).whereNull('revoked_at');
    if (existing !== undefined) return { id: existing.id, apiKey: existing.api_key, secret: null };
    const created = await insertIntegration(
      trx,
      { nodeId, name, permissions: allPermissions, expiresAt: null, createdBy: null },
      credentials,
    );
    const { id, api_key, permissions, expires_at, created_at } = created;
    const after = { id, node_id: nodeId, name, api_key, permissions, expires_at, created_at };
    await recordChange(trx, null, { action: 'integration.created', nodeId, resourceId: id, before: null, after });
    return { id, apiKey: credentials.apiKey, secret: credentials.secret };
  });
