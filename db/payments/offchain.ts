import type { Knex } from 'knex';
import { transitions, type PaymentMethod, type PaymentStatus } from '../../domain/payment.ts';
import { rowsOf } from '../query/statements.ts';
import { transitionByApi, transitionByWorkflow } from './transition.ts';

/** The outcome of an off-chain payment, as its merchant reports it. */
export interface Settlement {
  readonly outcome: 'completed' | 'failed';
  /** Of the transfer or charge at the payment processor, 1 to 255 characters. */
  readonly reference: string;
}

/** `again`: the same settlement was accepted before, nothing changes; `refused`: the payment cannot end like this. */
export type SettleResult = 'settled' | 'again' | 'refused';

interface LockedPaymentRow {
  readonly status: PaymentStatus;
  readonly payment_method: PaymentMethod;
  /** Of the accepted settlement; null without one. */
  readonly reference: string | null;
}

/**
 * Ends a pending off-chain payment. Locks the payment, so that the first of an expiry and any number of concurrent
 * settlements decides.
 */
export const settlePayment = async (
  trx: Knex.Transaction,
  request: { readonly paymentId: string; readonly actorId: string } & Settlement,
): Promise<SettleResult> => {
  const { paymentId, actorId, outcome, reference } = request;
  await trx.raw('SELECT FROM payments WHERE id = ? FOR NO KEY UPDATE', [paymentId]);
  // A separate statement, because the one that waited for the lock does not see log entries that were written
  // meanwhile.
  const [payment] = await rowsOf<LockedPaymentRow>(trx, [transitions.payment_settled.log, paymentId])(`
     SELECT status, payment_method, (
       SELECT l.data ->> 'reference' FROM payment_logs l WHERE l.payment_id = p.id AND l.event_type = ?
     ) AS reference FROM payments p WHERE p.id = ?`);
  if (payment === undefined || payment.payment_method === 'web3') return 'refused';
  if (payment.reference !== null) {
    return payment.status === outcome && payment.reference === reference ? 'again' : 'refused';
  }
  const moved = await transitionByApi(trx, {
    name: outcome === 'completed' ? 'payment_settled' : 'payment_declined',
    where: 'p.id = :payment_id',
    bindings: { payment_id: paymentId, actor_id: actorId, reference },
    actor: { type: 'integration', id: '(:actor_id)' },
    data: `jsonb_build_object('reference', (:reference)::text)`,
  });
  return moved.length === 1 ? 'settled' : 'refused';
};

/**
 * Expires those of the payments that are off-chain, open and past their expiry by the clock of the database.
 * @returns the ids of the payments that expired now
 */
export const expireOverdueOffchain = (knex: Knex, paymentIds: readonly string[]): Promise<string[]> =>
  knex.transaction((trx) =>
    transitionByWorkflow(trx, {
      name: 'payment_expired_offchain',
      where: 'p.id = ANY(:payment_ids)',
      bindings: { payment_ids: paymentIds },
      actor: { type: 'system' },
    }),
  );

/** Seconds after the expiry that are left to the workflow of the payment. */
const GRACE = 10;
const AT_ONCE = 500;

/**
 * Expires off-chain payments that are still `pending` long after their expiry, because their workflow is gone or is held up.
 * @returns their number
 */
export const expireForgottenOffchain = async (knex: Knex): Promise<number> => {
  const rows = await rowsOf<{ id: string }>(knex, { grace: GRACE, limit: AT_ONCE })(`
       SELECT id FROM payments WHERE status = 'pending' AND payment_method <> 'web3'
       AND expires_unix < extract(epoch FROM clock_timestamp()) - :grace ORDER BY expires_unix LIMIT :limit`);
  if (rows.length === 0) return 0;
  return (
    await expireOverdueOffchain(
      knex,
      rows.map((row) => row.id),
    )
  ).length;
};
