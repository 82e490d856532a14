import type { Knex } from 'knex';
import type { PaymentStatus } from '../../domain/payment.ts';
import { createKey } from '../lane/intents.ts';

/** A payment whose deal is wanted, with its status at that time. */
export interface EnqueuedPayment {
  readonly id: string;
  readonly status: PaymentStatus;
}

/**
 * Wants the deals of these payments on the chain: one create intent for each that is `pending` and has none, in the lane
 * of its diamond. A payment whose wallet was never asked to deploy there is left for the activation of the diamond,
 * which calls this again. Repeated calls change nothing.
 * @returns the payments with their status now, in any order
 */
export const insertDealIntents = (knex: Knex, paymentIds: readonly string[]): Promise<EnqueuedPayment[]> =>
  knex.transaction(async (trx) => {
    // Locked first, in one order, so that no payment leaves `pending` between this look and its intent.
    const { rows: payments } = await trx.raw<{ rows: EnqueuedPayment[] }>(
      'SELECT id, status FROM payments WHERE id = ANY(:payment_ids) ORDER BY id FOR NO KEY UPDATE',
      { payment_ids: paymentIds },
    );
    await trx.raw(
      `
WITH wanted AS (
  SELECT p.id, d.operator_account_id FROM payments p
  JOIN diamonds d ON d.network_id = p.network_id AND d.address = p.diamond_address
  WHERE p.id = ANY(:payment_ids) AND p.status = 'pending' AND p.payment_method = 'web3' AND p.create_generation = 1
), enqueued AS (
  INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id)
  SELECT ${createKey('w.id', '1')}, w.operator_account_id, 'create_deal', w.id FROM wanted w ORDER BY w.id
  ON CONFLICT (idempotency_key) DO NOTHING RETURNING account_id
)
SELECT pg_notify('carat_lane', account_id::text) FROM (SELECT DISTINCT account_id FROM enqueued) accounts`,
      { payment_ids: paymentIds },
    );
    return payments;
  });
