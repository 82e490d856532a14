import type { Knex } from 'knex';
import type { Permission } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';
import { BaseModel, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { prepared, type Statement } from '../query/prepared.ts';

/** An API key of a node. The secret is stored as its hash only. */
export class IntegrationModel extends BaseModel {
  static override readonly tableName = 'integrations';

  declare id: string;
  declare node_id: string;
  declare name: string;
  declare api_key: string;
  declare secret_hash: Buffer;
  /** The secret before the last rotation; null when there was none, or when its overlap was 0. */
  declare previous_secret_hash: Buffer | null;
  declare previous_secret_until: Date | null;
  declare permissions: Permission[];
  declare expires_at: Date | null;
  declare created_by: string | null;
  declare revoked_at: Date | null;
  declare last_used_at: Date | null;
  declare created_at: Date;
}

/** SQL: neither revoked nor past its end. */
const isLive = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())';

/** What an integration is made of. */
export type NewIntegration = Pick<
  IntegrationModel,
  'node_id' | 'name' | 'api_key' | 'secret_hash' | 'expires_at' | 'created_by'
> & { readonly permissions: readonly Permission[] };

/** Live integrations of a node at most: each has a rate limit of its own. */
const MAX_OF_A_NODE = 100;

/**
 * Stores an integration. One of that name that has expired makes room.
 * @throws DomainError integration_exists when a live one of the node has that name, too_many_integrations
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
  // Locked, so that those that are made at the same time count each other.
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

/** The integration of this id, ended or not. */
export const findIntegration = async (knex: Knex, id: string): Promise<IntegrationModel | undefined> =>
  IntegrationModel.query(knex).findById(id);

/** The integration of this api_key, ended or not. */
export const findIntegrationByKey = async (knex: Knex, apiKey: string): Promise<IntegrationModel | undefined> =>
  IntegrationModel.query(knex).findOne({ api_key: apiKey });

/** The admin integration of that name that was not revoked; until the transaction ends no other process makes one. */
export const findAdmin = async (
  trx: Knex.Transaction,
  nodeId: string,
  name: string,
): Promise<IntegrationModel | undefined> => {
  await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat admin integration'))`);
  return IntegrationModel.query(trx).findOne({ node_id: nodeId, name }).whereNull('revoked_at');
};

/** A live integration of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findLiveIntegration = async (knex: Knex, scopeId: string, id: string): Promise<IntegrationModel | null> =>
  (await IntegrationModel.query(knex).findById(id).whereRaw(isLive).inReach(scopeId)) ?? null;

const listedColumns = [
  ...['id', 'node_id', 'name', 'api_key', 'permissions', 'expires_at', 'revoked_at', 'last_used_at', 'created_at'],
] as const satisfies (keyof IntegrationModel)[];

/** An integration without what nobody is shown. */
export type ListedIntegrationModel = Pick<IntegrationModel, (typeof listedColumns)[number]>;

/** The integrations of one node, or with all below it, newest first. */
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
 * Marks an integration as used now, if it is live and this is the hash of its secret, or of the one before within its
 * overlap. False when it is not, such as after a rotation or revocation a moment ago.
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

/** When the integration ends or has ended; `'unknown'` if it is not there. */
export const integrationEnd = async (knex: Knex, id: string): Promise<Date | null | 'unknown'> => {
  const [row] = await prepared<{ expires_at: Date | null; revoked_at: Date | null }>(knex, lifeStatement, [id]);
  if (row === undefined) return 'unknown';
  return row.revoked_at === null ? row.expires_at : new Date(0);
};

/** An integration with what a change of it needs to know, locked until the transaction ends. */
export type LockedIntegration = IntegrationModel & { readonly is_live: boolean; readonly in_reach: boolean };

/**
 * Locks integrations so that no other transaction rotates or revokes one of them until this one ends. In the order of
 * their ids, so that two that change each other do not wait for each other.
 * @param scopeId node; an integration of it or of a node below is `in_reach`
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
 * Gives an integration another secret. The one before stays good for the overlap; one that was before that ends now.
 * @param overlapSeconds 0: the secret before ends now
 */
export const rotateSecret = async (
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

/** Ends an integration for good. Its secrets and, after the revocation delay, its tokens open nothing. */
export const markRevoked = async (trx: Knex.Transaction, id: string): Promise<void> => {
  await IntegrationModel.query(trx)
    .findById(id)
    .patch({ revoked_at: IntegrationModel.raw('clock_timestamp()') });
};
