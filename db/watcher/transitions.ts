import type { Knex } from 'knex';
import { transition, type TransitionRequest } from '../payments/transition.ts';

/** SQL over the moved payment: the place where its payment was seen before. */
export const lostPayment = `jsonb_build_object('transaction_hash', m.old_paid_tx_hash, 'block_number', m.old_paid_block_number,
  'block_hash', m.old_paid_block_hash)`;

/** SQL that clears the columns of a seen payment. */
export const forgetPayment =
  'paid_tx_hash = NULL, paid_block_number = NULL, paid_block_hash = NULL, paid_at = NULL, payer_address = NULL';

/**
 * The transitions back for payments that are no longer in a block, in this order.
 * @param isConfirmed SQL condition over `payments p`: the deal itself has the confirmations
 */
export const returns = (isConfirmed: string): readonly Pick<TransitionRequest, 'name' | 'where'>[] => [
  { name: 'payment_reorged_to_canceling', where: 'p.cancel_requested_at IS NOT NULL' },
  { name: 'payment_reorged', where: isConfirmed },
  { name: 'payment_reorged_to_pending', where: 'true' },
];

/** Moves payments that were seen in canonical blocks, or whose words say paid (`paid`). */
export const detectPayments = async (
  trx: Knex,
  bindings: Record<string, unknown> & { readonly ids: readonly string[]; readonly paid: readonly string[] },
  data: string,
): Promise<void> => {
  for (const name of ['payment_detected', 'cancel_lost_race'] as const) {
    await transition(trx, {
      name,
      where: 'p.id = ANY(:ids) AND (p.paid_block_number IS NOT NULL OR p.id = ANY(:paid))',
      bindings,
      actor: { type: 'buyer', id: 'm.payer_address' },
      data,
    });
  }
};
