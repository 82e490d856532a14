import type { Knex } from 'knex';

/** How long events and what became of them can be looked up and sent again. */
const KEPT = "interval '60 days'";
const BATCH = 1_000;

/** Forgets a batch of old events with their deliveries, unless one is still to be made; true when there may be more. */
export const forgetEvents = async (knex: Knex): Promise<boolean> => {
  // Ids tell the time, so the oldest are found by their key.
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `
WITH over AS MATERIALIZED (
  SELECT e.id FROM webhook_events e WHERE e.id < (SELECT uuidv7(-${KEPT}))
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = e.id AND d.state = 'pending')
  ORDER BY e.id LIMIT ${BATCH}
), events AS (
  DELETE FROM webhook_events WHERE id = ANY (ARRAY(SELECT id FROM over)) RETURNING id
), deliveries AS (
  DELETE FROM webhook_deliveries WHERE event_id = ANY (ARRAY(SELECT id FROM over))
)
SELECT id FROM events`,
  );
  return rows.length > 0;
};
