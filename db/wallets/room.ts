import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';

/** Most deployments and updates of a node under way. Each takes the operator's coins and a worker's turns. */
const MAX_UNDER_WAY = 100;

/**
 * Makes sure that the node may have one more deployment or update under way.
 * @throws DomainError too_many_deployments
 */
export const assertRoomForRun = async (trx: Knex.Transaction, nodeId: string): Promise<void> => {
  // The lock makes concurrent requests count each other.
  await trx.raw('SELECT 1 FROM nodes WHERE id = ? FOR NO KEY UPDATE', [nodeId]);
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::integer AS count FROM deployments d JOIN wallets w ON w.id = d.wallet_id
     WHERE d.status = 'started' AND w.node_id = ?`,
    [nodeId],
  );
  if ((rows[0]?.count ?? 0) < MAX_UNDER_WAY) return;
  throw new DomainError('too_many_deployments', `The node has ${MAX_UNDER_WAY} deployments and updates under way`);
};
