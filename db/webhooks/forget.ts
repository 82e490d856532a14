import type { Knex } from 'knex';

/** How long events and what became of them can be looked up and sent again. */
const KEPT = "interval '60 days'";
const BATCH = 1_000;

/** Forgets a batch of old events with their deliveries, unless one is still to be made; true when there may be more. */
export const forgetEvents = async (knex: Knex): Promise<boolean> => {
  // Ids grow with time, so the oldest are found by their key.
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `
WITH over AS MATERIALIZED (
  SELECT id FROM (SELECT id, created_at FROM webhook_events ORDER BY id LIMIT ${BATCH}) oldest
  WHERE created_at < clock_timestamp() - ${KEPT}
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = oldest.id AND d.state = 'pending')
), events AS (
  DELETE FROM webhook_events WHERE id = ANY (ARRAY(SELECT id FROM over)) RETURNING id
), deliveries AS (
  DELETE FROM webhook_deliveries WHERE event_id = ANY (ARRAY(SELECT id FROM over))
)
SELECT id FROM events`,
  );
  return rows.length > 0;
};
