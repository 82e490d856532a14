import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { permissions as allPermissions, type Permission } from '../domain/access.ts';
import { DomainError } from '../domain/errors.ts';
import { IntegrationModel } from './models/integration.ts';
import { prepared, type Statement } from './prepared.ts';
import { isUniqueViolation } from './unique-violation.ts';

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
const hash = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * Stores an integration.
 * @throws DomainError integration_exists when a live one of the node has that name
 */
export const insertIntegration = async (
  knex: Knex,
  integration: NewIntegration,
  credentials: Credentials,
): Promise<IntegrationModel> => {
  try {
    return await IntegrationModel.query(knex)
      .insert({
        node_id: integration.nodeId,
        name: integration.name,
        api_key: credentials.apiKey,
        secret_hash: hash(credentials.secret),
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

const nobody = hash(randomBytes(32).toString('base64url'));

/**
 * The live integration of these credentials, marked as used now; null if there is none. An unknown api_key costs the same
 * work as a wrong secret.
 */
export const authenticate = async (knex: Knex, { apiKey, secret }: Credentials): Promise<IntegrationModel | null> => {
  const integration = await IntegrationModel.query(knex).findOne({ api_key: apiKey });
  const matches = timingSafeEqual(integration?.secret_hash ?? nobody, hash(secret));
  if (integration === undefined || !matches) return null;
  const live = await IntegrationModel.query(knex)
    .where({ id: integration.id })
    .whereNull('revoked_at')
    .whereRaw('(expires_at IS NULL OR expires_at > clock_timestamp())')
    .patch({ last_used_at: knex.fn.now() as unknown as Date });
  return live === 1 ? integration : null;
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
    return { id: created.id, apiKey: credentials.apiKey, secret: credentials.secret };
  });
