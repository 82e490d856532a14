import type { Knex } from 'knex';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';

/**
 * Queues a `carat.alive` event for the operator's webhook, unless a process has done so within the interval. Cancels earlier
 * undelivered ones, because only the newest has a meaning.
 */
export const tellAlive = async (knex: Knex, seconds: number): Promise<void> => {
  await knex.raw(
    `
WITH turn AS (
  UPDATE alive_turn SET told_at = clock_timestamp()
  WHERE told_at <= clock_timestamp() - make_interval(secs => :seconds) RETURNING 1
), target AS (
  SELECT c.id FROM webhook_configurations c, turn
  WHERE c.id = '${operatorWebhookId}' AND c.deleted_at IS NULL AND c.is_active
), untaken AS MATERIALIZED (
  SELECT d.id FROM webhook_deliveries d JOIN target t ON t.id = d.webhook_id JOIN webhook_events e ON e.id = d.event_id
  WHERE d.state = 'pending' AND e.type = 'carat.alive' ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED
), canceled AS (
  UPDATE webhook_deliveries SET state = 'canceled', updated_at = clock_timestamp() WHERE id IN (SELECT id FROM untaken)
), event AS (
  INSERT INTO webhook_events (type, snapshot)
  SELECT 'carat.alive', jsonb_build_object('interval_seconds', :seconds::int) FROM target RETURNING id
)
INSERT INTO webhook_deliveries (webhook_id, event_id) SELECT t.id, e.id FROM target t, event e`,
    { seconds },
  );
};
