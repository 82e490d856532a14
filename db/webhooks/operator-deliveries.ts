import type { Knex } from 'knex';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';
import type { DueDelivery, OperatorDeliveryStore } from '../../domain/ports/deliveries.ts';
import { keepBodies, readBodies } from './delivery-store.ts';
import { dueColumns, eventOfDelivery, firsts, retries, toDues, type DueRow } from './due.ts';
import { recordResults } from './record.ts';

/** SQL: ids of the operator's due deliveries, from the two partial indexes, so that no other deliveries are read. */
const pendingIds = [firsts, retries]
  .map(
    (kind) => `SELECT d.id FROM webhook_deliveries d WHERE ${kind} AND d.webhook_id = '${operatorWebhookId}'
    AND d.due_at <= clock_timestamp()`,
  )
  .join(' UNION ALL ');

/** Claims due deliveries, so that no other process sends them. Those without a recorded result are due again after the claim. */
const claim = async (knex: Knex, limit: number, claimMs: number): Promise<readonly DueDelivery[]> => {
  const readAt = performance.now();
  const { rows } = await knex.raw<{ rows: DueRow[] }>(
    `
WITH taken AS MATERIALIZED (
  SELECT d.id FROM webhook_deliveries d JOIN webhook_configurations c ON c.id = d.webhook_id AND c.is_active AND c.deleted_at IS NULL
  WHERE d.id = ANY (ARRAY(${pendingIds})) AND d.state = 'pending' AND d.due_at <= clock_timestamp()
  ORDER BY d.id LIMIT :limit FOR NO KEY UPDATE OF d SKIP LOCKED
), lent AS (
  UPDATE webhook_deliveries d SET due_at = clock_timestamp() + make_interval(secs => :claim_ms / 1000.0)
  FROM taken t WHERE d.id = t.id RETURNING d.*
)
SELECT ${dueColumns} FROM lent d ${eventOfDelivery} JOIN webhook_configurations c ON c.id = d.webhook_id
LEFT JOIN wallets s ON s.id = c.wallet_id ORDER BY d.id`,
    { limit, claim_ms: claimMs },
  );
  return toDues(rows, readAt);
};

/** Creates the store of the operator's deliveries. */
export const createOperatorDeliveryStore = (knex: Knex): OperatorDeliveryStore => ({
  claim: (limit, claimMs) => claim(knex, limit, claimMs),
  readBodies: readBodies(knex),
  keepBodies: keepBodies(knex),
  record: (results) => recordResults(knex, results, false),
});
