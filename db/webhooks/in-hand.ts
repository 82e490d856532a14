import type { Knex } from 'knex';
import type { DeliveryStore } from '../../domain/ports/deliveries.ts';
import { dueColumns, eventOfDelivery, firsts, toDues, type DueRow } from './due.ts';

/**
 * Deliveries that somebody has in hand, as they are now; without those that are not due any more. Nothing is prepared, and they are
 * found by their ids before all else: otherwise all that a configuration was ever told might be read.
 */
export const rereadDeliveries =
  (knex: Knex): DeliveryStore['reread'] =>
  async (ids) => {
    const readAt = performance.now();
    const { rows } = await knex.raw<{ rows: DueRow[] }>(
      `WITH held AS MATERIALIZED (SELECT * FROM webhook_deliveries WHERE id = ANY (:ids) AND state = 'pending'
         -- else another process has begun it, or has tried it
         AND (attempts = 0 OR due_at <= clock_timestamp()))
       SELECT ${dueColumns} FROM held d ${eventOfDelivery}
       JOIN webhook_configurations c ON c.id = d.webhook_id AND c.is_active AND c.deleted_at IS NULL
       LEFT JOIN wallets s ON s.id = c.wallet_id`,
      { ids },
    );
    return toDues(rows, readAt);
  };

/** How long a test that was begun is left to who has begun it: longer than an attempt and its recording take. */
const BEGUN = "interval '1 minute'";

/** Takes tests out of what was never tried, for good before they are sent. */
export const beginTests =
  (knex: Knex): DeliveryStore['beginTests'] =>
  async (ids) => {
    const { rows } = await knex.raw<{ rows: { id: string }[] }>(
      `UPDATE webhook_deliveries SET attempts = 1, due_at = clock_timestamp() + ${BEGUN}
       WHERE id = ANY (ARRAY(SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY (:ids) AND d.is_test AND ${firsts}
         ORDER BY d.id FOR NO KEY UPDATE)) RETURNING id`,
      { ids },
    );
    return rows.map(({ id }) => id);
  };
