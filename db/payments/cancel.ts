import type { Knex } from 'knex';
import type { PaymentStatus } from '../../domain/payment.ts';
import { lockWithCheckouts } from '../choices/settle.ts';
import { insertCancelIntents } from '../intents/deals.ts';
import { addFollower } from '../outbox/commands.ts';
import { rowsOf } from '../query/statements.ts';
import { guards } from './guards.ts';
import { transitionByApi, transitionByCheckout, transitionByWorkflow } from './transition.ts';

/**
 * `on_chain`: a cancel is under way, and asks for a transaction from now on; `again`: it is under way, and nothing changes;
 * `refused`: the payment is paid or has ended.
 */
export type CancelResult = 'accepted' | 'on_chain' | 'again' | 'refused';

export interface CancelRequest {
  readonly paymentId: string;
  /** The integration; null for the buyer, who chooses another option of the checkout. */
  readonly actorId: string | null;
  /** True to cancel an offered deal by a transaction, instead of waiting for the end of its offers. */
  readonly onChain?: boolean;
}

/**
 * Accepts the cancel of a payment that is neither paid nor ended, and commands its workflow. A repeated cancel changes nothing,
 * except that it may ask for a transaction.
 */
export const requestCancel = async (
  trx: Knex.Transaction,
  { paymentId, actorId, onChain = false }: CancelRequest,
): Promise<CancelResult> => {
  // Locked first: a statement that waits does not see webhooks that were created or enabled meanwhile.
  await trx.raw('SELECT FROM payments WHERE id = ? FOR NO KEY UPDATE', [paymentId]);
  const moved = await transitionByApi(trx, {
    name: 'cancel_requested',
    where: 'p.id = :payment_id',
    bindings: { payment_id: paymentId, actor_id: actorId },
    actor: { type: actorId === null ? 'buyer' : 'integration', id: '(:actor_id)' },
    set: `cancel_requested_at = clock_timestamp(), cancel_on_chain = ${onChain}`,
  });
  if (moved.length === 0) {
    const payment = await trx('payments')
      .where({ id: paymentId })
      .first<{ status: PaymentStatus; cancel_on_chain: boolean } | undefined>('status', 'cancel_on_chain');
    if (payment?.status !== 'canceling') return 'refused';
    if (!onChain || payment.cancel_on_chain) return 'again';
    await trx('payments').where({ id: paymentId }).update({ cancel_on_chain: true });
    // Where no offer was revealed, the workflow ends the payment without a transaction.
    const rows = await rowsOf(trx, [paymentId])(
      `SELECT 1 FROM payments p WHERE p.id = ? AND NOT (${guards.never_revealed.sql})`,
    );
    if (rows.length > 0) await insertCancelIntents(trx, [paymentId]);
    return 'on_chain';
  }
  await addFollower(trx, paymentId, 'cancelPayment');
  return 'accepted';
};

/**
 * Ends a payment with an accepted cancel at once if it cannot have a deal. The caller has locked the payment with its checkout's.
 * Otherwise the workflow of the cancel, or the watcher, ends it.
 */
export const endUnseen = async (trx: Knex.Transaction, paymentId: string): Promise<void> => {
  const bindings = { payment_id: paymentId };
  await trx.raw('SELECT FROM tx_intents WHERE payment_id = :payment_id ORDER BY id FOR NO KEY UPDATE', bindings);
  for (const name of ['cancel_unsent', 'cancel_unrevealed'] as const)
    await transitionByCheckout(trx, { name, where: 'p.id = :payment_id', bindings, actor: { type: 'system' } });
};

/**
 * Ends a payment with an accepted cancel if it cannot have a deal, because it is off-chain, its create was never in a slot, or none
 * of its offers was revealed; that needs no transaction. A payment with a revealed offer waits until the watcher sees that offer end. After a
 * restore, a payment that the lost blocks may mention waits until the watcher has read them. Any other payment gets a cancel on the chain. Repeated calls change nothing.
 */
export const decideCancel = (knex: Knex, paymentId: string): Promise<void> =>
  knex.transaction(async (trx) => {
    const bindings = { payment_id: paymentId };
    await lockWithCheckouts(trx, [paymentId]);
    await trx.raw('SELECT FROM tx_intents WHERE payment_id = :payment_id ORDER BY id FOR NO KEY UPDATE', bindings);
    // The lock above has waited for a lane that assigns slots; the statements below see those slots.
    for (const name of ['cancel_offchain', 'choice_dropped', 'cancel_unsent', 'cancel_unrevealed'] as const) {
      await transitionByWorkflow(trx, { name, where: 'p.id = :payment_id', bindings, actor: { type: 'system' } });
    }
    await insertCancelIntents(trx, [paymentId]);
  });
