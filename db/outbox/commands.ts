import type { Knex } from 'knex';
import type { WorkflowCommand } from '../../domain/ports/outbox.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';

/** A command and the id of its workflow. */
export interface CommandFor {
  readonly workflowId: string;
  readonly command: WorkflowCommand;
}

/** Stores commands that start or wake workflows, in the caller's transaction. Its commit wakes a dispatcher. */
export const insertCommands = async (trx: Knex, commands: readonly CommandFor[]): Promise<void> => {
  if (commands.length === 0) return;
  await trx.raw(
    `WITH command AS (
       INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
       SELECT 'command', c.workflow_id, c.workflow_id, c.payment_id, c.payload::jsonb
       FROM unnest(:workflow_ids::text[], :payment_ids::uuid[], :payloads::text[]) AS c (workflow_id, payment_id, payload))
     SELECT pg_notify('carat_outbox', '')`,
    {
      workflow_ids: commands.map(({ workflowId }) => workflowId),
      payment_ids: commands.map(({ command }) => command.search.payment_ids?.[0] ?? null) as string[],
      payloads: commands.map(({ command }) => JSON.stringify(command)),
    },
  );
};

/** Stores a command for a request that changed nothing, unless one for the workflow is undelivered. */
export const repeatCommand = async (trx: Knex, wanted: CommandFor): Promise<void> => {
  const waiting = await trx('outbox')
    .where({ workflow_id: wanted.workflowId, topic: 'command', delivered_at: null })
    .first<{ id: string } | undefined>('id');
  if (waiting === undefined) await insertCommands(trx, [wanted]);
};

/** The command that starts or wakes the workflow of a diamond. */
export const diamondCommand = (diamond: {
  readonly walletId: string;
  readonly networkId: string;
  readonly nodeId: string;
}): CommandFor => {
  const { walletId, networkId, nodeId } = diamond;
  return {
    workflowId: workflowIds.diamond(walletId, networkId),
    command: {
      type: 'diamond',
      input: { walletId, networkId },
      search: { wallet_ids: [walletId], node_ids: [nodeId], network_id: networkId },
    },
  };
};
