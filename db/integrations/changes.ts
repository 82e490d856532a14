import type { Knex } from 'knex';
import { hashSecret, isLive } from './integrations.ts';
import { IntegrationModel } from './model.ts';

/** An integration with what a change of it needs to know, locked until the transaction ends. */
export type LockedIntegration = IntegrationModel & { readonly is_live: boolean; readonly in_scope: boolean };

/**
 * Locks integrations so that none of them is rotated or revoked by anybody else until the transaction ends. In the order
 * of their ids, so that two that change each other do not wait for each other for ever.
 * @param scopeId node; an integration of it or of a node below is `in_scope`
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
        'EXISTS (SELECT 1 FROM nodes n WHERE n.id = integrations.node_id AND ?::uuid = ANY (n.path)) AS in_scope',
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
export const rotateSecret = (
  trx: Knex.Transaction,
  id: string,
  secret: string,
  overlapSeconds: number,
): Promise<IntegrationModel> =>
  IntegrationModel.query(trx)
    .findById(id)
    .patch({
      secret_hash: hashSecret(secret),
      previous_secret_hash: overlapSeconds === 0 ? null : IntegrationModel.ref('secret_hash'),
      previous_secret_until:
        overlapSeconds === 0
          ? null
          : IntegrationModel.raw(`clock_timestamp() + ? * interval '1 second'`, [overlapSeconds]),
    } as object)
    .returning('*')
    .first()
    .throwIfNotFound() as unknown as Promise<IntegrationModel>;

/** Ends an integration for good. Its secrets and, after the revocation delay, its tokens open nothing. */
export const revokeIntegration = async (trx: Knex.Transaction, id: string): Promise<void> => {
  await IntegrationModel.query(trx)
    .findById(id)
    .patch({ revoked_at: trx.raw('clock_timestamp()') as unknown as Date });
};
