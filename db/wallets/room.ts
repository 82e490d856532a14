import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';

/** Deployments and updates of a node that may be under way: each takes the operator's coins and turns of a worker. */
const MAX_UNDER_WAY = 100;

/**
 * Makes sure that a node may have one deployment or update more under way.
 * @throws DomainError too_many_deployments
 */
export const assertRoomForRun = async (trx: Knex.Transaction, nodeId: string): Promise<void> => {
  // Locked, so that those that begin at the same time count each other.
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
