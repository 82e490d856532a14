import type { Knex } from 'knex';
import { workflowIds } from '../../domain/workflow-ids.ts';

/**
 * Stores commands that start or wake the retry workflows of failing configurations, in the caller's transaction. Skips disabled
 * and deleted configurations. Renews undelivered commands, in the order of the workflow ids, so that two callers cannot deadlock.
 */
export const insertRetryCommands = async (trx: Knex, webhookIds: readonly string[]): Promise<void> => {
  if (webhookIds.length === 0) return;
  await trx.raw(
    `
WITH failing AS (
  SELECT format(:format, c.id) AS workflow_id, jsonb_build_object('type', 'retryWebhooks',
    'input', jsonb_build_object('webhookId', c.id),
    -- null in the operator's own configuration
    'search', jsonb_strip_nulls(jsonb_build_object('network_id', c.network_id))
      || jsonb_build_object('wallet_ids', to_jsonb(array_remove(ARRAY[c.wallet_id], NULL)),
        'node_ids', to_jsonb(array_remove(ARRAY[coalesce(c.node_id, w.node_id)], NULL)))) AS payload
  FROM webhook_configurations c LEFT JOIN wallets w ON w.id = c.wallet_id
  WHERE c.id = ANY(:ids) AND c.is_active AND c.deleted_at IS NULL
), command AS (
  INSERT INTO outbox (topic, group_key, workflow_id, payload)
  SELECT 'webhook_command', f.workflow_id, f.workflow_id, f.payload FROM failing f ORDER BY f.workflow_id
  ON CONFLICT (workflow_id) WHERE topic = 'webhook_command' AND delivered_at IS NULL
  DO UPDATE SET is_renewed = true WHERE NOT outbox.is_renewed
)
SELECT pg_notify('carat_outbox', '')`,
    { format: workflowIds.retryWebhooks('%s'), ids: [...webhookIds] },
  );
};
