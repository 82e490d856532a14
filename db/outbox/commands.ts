import type { Knex } from 'knex';
import type { WorkflowCommand } from '../../domain/ports/outbox.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';

/** Stores that a workflow is to be started or told to look again, in the caller's transaction; its commit wakes a dispatcher. */
export const insertCommand = async (trx: Knex, workflowId: string, command: WorkflowCommand): Promise<void> => {
  await trx.raw(
    `WITH command AS (
       INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
       VALUES ('command', :workflow_id, :workflow_id, :payment_id, :payload::jsonb))
     SELECT pg_notify('carat_outbox', '')`,
    {
      workflow_id: workflowId,
      payment_id: command.search.payment_ids?.[0] ?? null,
      payload: JSON.stringify(command),
    },
  );
};

/** Lets the workflow of a diamond look again. */
export const insertDiamondCommand = (
  trx: Knex,
  diamond: { readonly walletId: string; readonly networkId: string; readonly nodeId: string },
): Promise<void> => {
  const { walletId, networkId, nodeId } = diamond;
  return insertCommand(trx, workflowIds.diamond(walletId, networkId), {
    type: 'diamond',
    input: { walletId, networkId },
    search: { wallet_ids: [walletId], node_ids: [nodeId], network_id: networkId },
  });
};
