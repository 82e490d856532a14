import type { Knex } from 'knex';
import type { PaymentStatus } from '../../domain/payment.ts';
import { insertCancelIntents, mayHaveDeal } from '../intents/deals.ts';
import { addFollower } from './followers.ts';
import { transition } from './transition.ts';

/** `again`: it is being canceled already, nothing is changed; `refused`: it is paid or over. */
export type CancelResult = 'accepted' | 'again' | 'refused';

/** Accepts the cancel of a payment that is neither paid nor over, and lets a workflow see to it. */
export const requestCancel = async (
  trx: Knex.Transaction,
  { paymentId, actorId }: { readonly paymentId: string; readonly actorId: string },
): Promise<CancelResult> => {
  // A statement that waits does not see which webhooks were made or switched on meanwhile, and they would not hear of it.
  await trx.raw('SELECT FROM payments WHERE id = ? FOR NO KEY UPDATE', [paymentId]);
  const moved = await transition(trx, {
    name: 'cancel_requested',
    where: 'p.id = :payment_id',
    bindings: { payment_id: paymentId, actor_id: actorId },
    actor: { type: 'integration', id: '(:actor_id)' },
    set: 'cancel_requested_at = clock_timestamp()',
  });
  if (moved.length === 0) {
    const payment = await trx('payments').where({ id: paymentId }).first<{ status: PaymentStatus } | undefined>();
    return payment?.status === 'canceling' ? 'again' : 'refused';
  }
  await addFollower(trx, paymentId, 'cancelPayment');
  return 'accepted';
};

/**
 * Ends a payment whose cancel was accepted, where it can have no deal: off-chain ones, and those whose create was in no slot,
 * which costs no transaction. All others get a cancel on the chain. Repeated calls change nothing.
 */
export const decideCancel = (knex: Knex, paymentId: string): Promise<void> =>
  knex.transaction(async (trx) => {
    const bindings = { payment_id: paymentId };
    await trx.raw('SELECT FROM payments WHERE id = :payment_id FOR NO KEY UPDATE', bindings);
    await trx.raw('SELECT FROM tx_intents WHERE payment_id = :payment_id ORDER BY id FOR NO KEY UPDATE', bindings);
    // In statements after that one: it has waited for the lane that was giving them slots.
    const end = { name: 'cancel_confirmed', bindings, actor: { type: 'system' } } as const;
    await transition(trx, { ...end, where: `p.id = :payment_id AND p.payment_method <> 'web3'` });
    await transition(trx, {
      ...end,
      where: `p.id = :payment_id AND p.payment_method = 'web3' AND NOT ${mayHaveDeal('p')}`,
      detail: 'canceled_before_creation',
    });
    await insertCancelIntents(trx, [paymentId]);
  });
