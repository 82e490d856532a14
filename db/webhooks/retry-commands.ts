import type { Knex } from 'knex';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { insertCommands, type CommandFor } from '../outbox/commands.ts';

interface CommandedWebhook {
  readonly id: string;
  /** These are null of the operator's own. */
  readonly wallet_id: string | null;
  readonly network_id: string | null;
  readonly node_id: string | null;
}

const retryCommand = ({ id, wallet_id, network_id, node_id }: CommandedWebhook): CommandFor => ({
  workflowId: workflowIds.retryWebhooks(id),
  command: {
    type: 'retryWebhooks',
    input: { webhookId: id },
    search: {
      wallet_ids: wallet_id === null ? [] : [wallet_id],
      node_ids: node_id === null ? [] : [node_id],
      ...(network_id !== null && { network_id }),
    },
  },
});

/** Lets the workflow of each failing configuration look for what is due, in the caller's transaction. */
export const insertRetryCommands = async (trx: Knex, webhookIds: readonly string[]): Promise<void> => {
  if (webhookIds.length === 0) return;
  const { rows } = await trx.raw<{ rows: CommandedWebhook[] }>(
    `SELECT c.id, c.wallet_id, c.network_id, coalesce(c.node_id, w.node_id) AS node_id
     FROM webhook_configurations c LEFT JOIN wallets w ON w.id = c.wallet_id WHERE c.id = ANY(?)`,
    [[...webhookIds]],
  );
  await insertCommands(trx, rows.map(retryCommand));
};
