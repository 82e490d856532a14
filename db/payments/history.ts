import type { Knex } from 'knex';
import type { PaymentTransition } from '../../domain/outbox.ts';

/** Everything that the logs say of these payments, oldest first, in the form in which workflows hear of changes. */
export const readTransitions = async (knex: Knex, paymentIds: readonly string[]): Promise<PaymentTransition[]> => {
  const { rows } = await knex.raw<{ rows: PaymentTransition[] }>(
    `
SELECT l.payment_id, l.sequence, l.event_type, l.status,
  CASE WHEN l.sequence = p.sequence THEN p.status_detail END AS status_detail,
  l.data ->> 'transaction_hash' AS transaction_hash,
  (l.data ->> 'block_number')::double precision AS block_number,
  l.data ->> 'block_hash' AS block_hash,
  to_char(l.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
FROM payment_logs l JOIN payments p ON p.id = l.payment_id
WHERE l.payment_id = ANY(:payment_ids) ORDER BY l.payment_id, l.sequence`,
    { payment_ids: paymentIds },
  );
  return rows;
};
