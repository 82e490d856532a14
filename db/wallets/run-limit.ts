import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';

/** Most concurrent deployments and updates of a node, because each uses the operator's coins and turns of a worker. */
const MAX_UNDER_WAY = 100;

/**
 * Makes sure that a node may start one more deployment or update.
 * @throws DomainError too_many_deployments
 */
export const assertBelowRunLimit = async (trx: Knex.Transaction, nodeId: string): Promise<void> => {
  // Locked, so that concurrent requests count each other.
  await trx.raw('SELECT 1 FROM nodes WHERE id = ? FOR NO KEY UPDATE', [nodeId]);
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::integer AS count FROM deployments d JOIN wallets w ON w.id = d.wallet_id
     WHERE d.status = 'started' AND w.node_id = ?`,
    [nodeId],
  );
  if ((rows[0]?.count ?? 0) < MAX_UNDER_WAY) return;
  throw new DomainError(
    'too_many_deployments',
    `The node already has ${MAX_UNDER_WAY} deployments and updates under way`,
  );
};
