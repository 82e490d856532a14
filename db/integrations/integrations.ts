import type { Knex } from 'knex';
import type { Permission } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';
import { BaseModel, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { prepared, type Statement } from '../query/statements.ts';

/** An API key of a node. Only the hash of its secret is stored. */
export class IntegrationModel extends BaseModel {
  static override readonly tableName = 'integrations';

  declare id: string;
  declare node_id: string;
  declare name: string;
  declare api_key: string;
  declare secret_hash: Buffer;
  /** Hash of the secret before the last rotation; null when there was none, or when its overlap was 0. */
  declare previous_secret_hash: Buffer | null;
  declare previous_secret_until: Date | null;
  declare permissions: Permission[];
  declare expires_at: Date | null;
  declare created_by: string | null;
  declare revoked_at: Date | null;
  declare last_used_at: Date | null;
  declare created_at: Date;
}

/** SQL: neither revoked nor expired. */
const isLive = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())';

export type NewIntegration = Pick<
  IntegrationModel,
  'node_id' | 'name' | 'api_key' | 'secret_hash' | 'expires_at' | 'created_by'
> & { readonly permissions: readonly Permission[] };

/** Most live integrations of a node, because each has a separate rate limit. */
const MAX_OF_A_NODE = 100;

/**
 * Stores an integration. It may take the name of an expired one.
 * @throws DomainError integration_exists when a live one of the node has the name, too_many_integrations
 */
export const insertIntegration = async (
  trx: Knex,
  { permissions, ...integration }: NewIntegration,
): Promise<IntegrationModel> => {
  const { node_id, name } = integration;
  await IntegrationModel.query(trx)
    .where({ node_id, name })
    .whereNull('revoked_at')
    .whereRaw('expires_at <= clock_timestamp()')
    .patch({ revoked_at: IntegrationModel.ref('expires_at') });
  // Locked, so that concurrent requests count each other.
  await trx.raw('SELECT 1 FROM nodes WHERE id = ? FOR NO KEY UPDATE', [node_id]);
  const live = await IntegrationModel.query(trx).where({ node_id }).whereNot({ name }).whereRaw(isLive).resultSize();
  if (live >= MAX_OF_A_NODE) {
    throw new DomainError('too_many_integrations', `The node already has ${MAX_OF_A_NODE} live integrations`);
  }
  return IntegrationModel.query(trx)
    .insert({ ...integration, permissions: [...permissions] })
    .returning('*')
    .refuseTwins(
      'integrations_name',
      () => new DomainError('integration_exists', 'The node already has a live integration with this name'),
    );
};

/** Finds an integration by its id, ended or not. */
export const findIntegration = async (knex: Knex, id: string): Promise<IntegrationModel | undefined> =>
  IntegrationModel.query(knex).findById(id);

/** Finds an integration by its api_key, ended or not. */
export const findIntegrationByKey = async (knex: Knex, apiKey: string): Promise<IntegrationModel | undefined> =>
  IntegrationModel.query(knex).findOne({ api_key: apiKey });

/** Finds the admin integration of this name that is not revoked. Other processes wait until the transaction ends. */
export const findAdmin = async (
  trx: Knex.Transaction,
  nodeId: string,
  name: string,
): Promise<IntegrationModel | undefined> => {
  await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat admin integration'))`);
  return IntegrationModel.query(trx).findOne({ node_id: nodeId, name }).whereNull('revoked_at');
};

/** Finds a live integration of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findLiveIntegration = async (knex: Knex, scopeId: string, id: string): Promise<IntegrationModel | null> =>
  (await IntegrationModel.query(knex).findById(id).whereRaw(isLive).inReach(scopeId)) ?? null;

const listedColumns = [
  'id',
  'node_id',
  'name',
  'api_key',
  'permissions',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'created_at',
] as const satisfies (keyof IntegrationModel)[];

/** An integration without its secrets. */
export type ListedIntegrationModel = Pick<IntegrationModel, (typeof listedColumns)[number]>;

/** Lists the integrations of one node, optionally with all below it, newest first. */
export const listIntegrations = (
  knex: Knex,
  filter: NodeFilter & { readonly includeEnded: boolean },
  request: PageRequest,
): Promise<Page<ListedIntegrationModel>> => {
  const query = IntegrationModel.query(knex)
    .select(...listedColumns)
    .ofNode(filter);
  return fetchPage(filter.includeEnded ? query : query.whereRaw(isLive), request);
};

/**
 * Marks an integration as used now, if it is live and this is the hash of its secret, or of the previous one within the
 * overlap. False otherwise, such as right after a rotation or revocation.
 */
export const markUsed = async (knex: Knex, id: string, secretHash: Buffer): Promise<boolean> => {
  const used = await IntegrationModel.query(knex)
    .findById(id)
    .whereRaw(isLive)
    .whereRaw('(secret_hash = ? OR (previous_secret_hash = ? AND previous_secret_until > clock_timestamp()))', [
      secretHash,
      secretHash,
    ])
    .patch({ last_used_at: IntegrationModel.raw('now()') });
  return used === 1;
};

const lifeStatement: Statement = {
  name: 'integration_life',
  text: 'SELECT expires_at, revoked_at FROM integrations WHERE id = $1',
};

/** Time at which the integration ends or has ended, or null; `'unknown'` when it does not exist. */
export const integrationEnd = async (knex: Knex, id: string): Promise<Date | null | 'unknown'> => {
  const [row] = await prepared<{ expires_at: Date | null; revoked_at: Date | null }>(knex, lifeStatement, [id]);
  if (row === undefined) return 'unknown';
  return row.revoked_at === null ? row.expires_at : new Date(0);
};

/** An integration that is locked for a change until the transaction ends. */
export type LockedIntegration = IntegrationModel & { readonly is_live: boolean; readonly in_reach: boolean };

/**
 * Locks integrations against rotation and revocation until the transaction ends, in the order of their ids, so that two that
 * change each other cannot deadlock.
 * @param scopeId node; integrations of it and of nodes below are `in_reach`
 */
export const lockIntegrations = async (
  trx: Knex.Transaction,
  scopeId: string,
  ids: readonly string[],
): Promise<Map<string, LockedIntegration>> => {
  const rows = (await IntegrationModel.query(trx)
    .select(
      'integrations.*',
      IntegrationModel.raw(`(${isLive}) AS is_live`),
      IntegrationModel.raw(
        'EXISTS (SELECT 1 FROM nodes n WHERE n.id = integrations.node_id AND ?::uuid = ANY (n.path)) AS in_reach',
        [scopeId],
      ),
    )
    .whereIn('integrations.id', [...ids])
    .orderBy('integrations.id')
    .forNoKeyUpdate()) as LockedIntegration[];
  return new Map(rows.map((row) => [row.id, row]));
};

/**
 * Replaces the secret of an integration. The previous one stays valid for the overlap; the one before that ends now.
 * @param overlapSeconds 0 ends the previous secret now
 */
export const rotateIntegrationSecret = async (
  trx: Knex.Transaction,
  id: string,
  secretHash: Buffer,
  overlapSeconds: number,
): Promise<IntegrationModel> =>
  IntegrationModel.query(trx)
    .findById(id)
    .patch({
      secret_hash: secretHash,
      previous_secret_hash: overlapSeconds === 0 ? null : IntegrationModel.ref('secret_hash'),
      previous_secret_until:
        overlapSeconds === 0
          ? null
          : IntegrationModel.raw(`clock_timestamp() + ? * interval '1 second'`, [overlapSeconds]),
    })
    .returning('*')
    .first()
    .throwIfNotFound();

/** Revokes an integration permanently: its secrets at once, its tokens after the revocation delay. */
export const markRevoked = async (trx: Knex.Transaction, id: string): Promise<void> => {
  await IntegrationModel.query(trx)
    .findById(id)
    .patch({ revoked_at: IntegrationModel.raw('clock_timestamp()') });
};
