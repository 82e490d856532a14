import type { Knex } from 'knex';
import { transitionByWatcher } from '../payments/transition.ts';

/** SQL over the moved payment: the block that held it before the move. */
export const lostPayment = `jsonb_build_object('transaction_hash', m.old_paid_tx_hash, 'block_number', m.old_paid_block_number,
  'block_hash', m.old_paid_block_hash)`;

/** SQL that clears the columns that a log has set on a payment. */
export const forgetPayment =
  'paid_tx_hash = NULL, paid_block_number = NULL, paid_block_hash = NULL, paid_at = NULL, payer_address = NULL';

/**
 * Moves payments that were seen to `processing`.
 * @param bindings `ids` limits the payments; `paid` are those whose word says paid
 * @param data SQL of a jsonb object over the moved payment `m`, with its block
 */
export const detectPayments = async (
  trx: Knex,
  {
    paid,
    ...bindings
  }: Record<string, unknown> & { readonly ids: readonly string[]; readonly paid: readonly string[] },
  data: string,
): Promise<void> => {
  for (const name of ['payment_detected', 'cancel_lost_race'] as const) {
    await transitionByWatcher(trx, {
      name,
      where: 'p.id = ANY(:ids)',
      bindings: { ...bindings, deal_paid: paid },
      actor: { type: 'buyer', id: 'm.payer_address' },
      data,
    });
  }
};
