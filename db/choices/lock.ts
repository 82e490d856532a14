import type { Knex } from 'knex';
import { planned } from '../query/prepared.ts';

/**
 * Locks payments, and with them the open payments of the same checkouts, because the end of one payment of a checkout moves another. In
 * the order of the ids, as everywhere; the checkouts are locked after their payments.
 */
export const lockWithCheckouts = async (trx: Knex, paymentIds: readonly string[]): Promise<void> => {
  await planned(
    trx,
    `SELECT id FROM payments WHERE id = ANY(:payment_ids) OR id = ANY (ARRAY(
       SELECT p.id FROM payments p WHERE p.terminal_at IS NULL AND p.checkout_id = ANY (ARRAY(
         SELECT checkout_id FROM payments WHERE id = ANY(:payment_ids) AND checkout_id IS NOT NULL))))
     ORDER BY id FOR NO KEY UPDATE`,
    { payment_ids: paymentIds },
  );
};

/** Locks checkouts in the order of their ids. */
export const lockCheckouts = async (trx: Knex, checkoutIds: readonly string[]): Promise<void> => {
  await planned(trx, 'SELECT id FROM checkouts WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE', {
    ids: checkoutIds,
  });
};
