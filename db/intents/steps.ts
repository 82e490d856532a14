import type { Knex } from 'knex';
import { diamondCommand, insertCommands } from '../outbox/commands.ts';

/**
 * Wakes the workflows of the diamonds whose deployment steps own these intents, because the waiting reason has changed. Runs in the
 * caller's transaction.
 */
export const wakeDiamonds = async (trx: Knex.Transaction, stepIds: readonly string[]): Promise<void> => {
  if (stepIds.length === 0) return;
  const { rows } = await trx.raw<{ rows: Parameters<typeof diamondCommand>[0][] }>(
    `SELECT DISTINCT d.wallet_id AS "walletId", d.network_id AS "networkId", w.node_id AS "nodeId"
     FROM deployment_steps s JOIN deployments d ON d.id = s.deployment_id JOIN wallets w ON w.id = d.wallet_id
     WHERE s.id = ANY(:step_ids) AND d.status = 'started'`,
    { step_ids: stepIds },
  );
  await insertCommands(trx, rows.map(diamondCommand));
};
