import type { Knex } from 'knex';
import type { DeliveryStore } from '../../domain/ports/deliveries.ts';
import { dueColumns, eventOfDelivery, firsts, toDues, type DueRow } from './due.ts';

/**
 * Reads deliveries in hand again, without those that are no longer due. The statement is not prepared, and selects by id first;
 * otherwise PostgreSQL might read all deliveries of a configuration.
 */
export const rereadDeliveries =
  (knex: Knex): DeliveryStore['reread'] =>
  async (ids) => {
    const readAt = performance.now();
    const { rows } = await knex.raw<{ rows: DueRow[] }>(
      `WITH held AS MATERIALIZED (SELECT * FROM webhook_deliveries WHERE id = ANY (:ids) AND state = 'pending'
         -- otherwise another process has begun or tried it
         AND (attempts = 0 OR due_at <= clock_timestamp()))
       SELECT ${dueColumns} FROM held d ${eventOfDelivery}
       JOIN webhook_configurations c ON c.id = d.webhook_id AND c.is_active AND c.deleted_at IS NULL
       LEFT JOIN wallets s ON s.id = c.wallet_id`,
      { ids },
    );
    return toDues(rows, readAt);
  };

/** Time for which a begun test is left to its process: longer than an attempt and its recording. */
const BEGUN = "interval '1 minute'";

/** Marks tests as begun, durably before they are sent. */
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
