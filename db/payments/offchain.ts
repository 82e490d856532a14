import type { Knex } from 'knex';
import type { PaymentMethod, PaymentStatus } from '../../domain/payment.ts';
import { transition } from './transition.ts';

/** What the merchant's processor says became of a payment that is not on a chain. */
export interface Settlement {
  readonly outcome: 'completed' | 'failed';
  /** Of the transfer or charge at the processor, 1 to 255 characters. */
  readonly reference: string;
}

/** `again`: the same was said before, nothing is changed; `refused`: it can not, or can no longer, end like this. */
export type SettleResult = 'settled' | 'again' | 'refused';

interface LockedPaymentRow {
  readonly status: PaymentStatus;
  readonly payment_method: PaymentMethod;
  /** Of the settlement before, if there is one. */
  readonly reference: string | null;
}

/**
 * Ends a pending off-chain payment. Locks it, so that of an expiry and any number of settlements that run at the same
 * time the first one decides.
 */
export const settlePayment = async (
  trx: Knex.Transaction,
  request: { readonly paymentId: string; readonly actorId: string } & Settlement,
): Promise<SettleResult> => {
  const { paymentId, actorId, outcome, reference } = request;
  await trx.raw('SELECT FROM payments WHERE id = ? FOR NO KEY UPDATE', [paymentId]);
  // A statement of its own, because one that has waited for the lock does not see the log entries made meanwhile.
  const { rows } = await trx.raw<{ rows: LockedPaymentRow[] }>(
    `SELECT status, payment_method, (
       SELECT l.data ->> 'reference' FROM payment_logs l WHERE l.payment_id = p.id AND l.event_type = 'payment_settled'
     ) AS reference FROM payments p WHERE p.id = ?`,
    [paymentId],
  );
  const [payment] = rows;
  if (payment === undefined || payment.payment_method === 'web3') return 'refused';
  if (payment.reference !== null) {
    return payment.status === outcome && payment.reference === reference ? 'again' : 'refused';
  }
  const moved = await transition(trx, {
    name: outcome === 'completed' ? 'payment_settled' : 'payment_declined',
    where: 'p.id = :payment_id',
    bindings: { payment_id: paymentId, actor_id: actorId, reference },
    actor: { type: 'integration', id: '(:actor_id)' },
    data: `jsonb_build_object('reference', (:reference)::text)`,
    detail: outcome === 'completed' ? null : 'declined',
  });
  return moved.length === 1 ? 'settled' : 'refused';
};

/**
 * Expires those of the payments that are not on a chain, still `pending` and past their time by the database's clock.
 * @returns ids of the payments that expired now
 */
export const expireOverdueOffchain = (knex: Knex, paymentIds: readonly string[]): Promise<string[]> =>
  knex.transaction((trx) =>
    transition(trx, {
      name: 'payment_expired',
      where: `p.id = ANY(:payment_ids) AND p.payment_method <> 'web3' AND p.expires_unix <= extract(epoch FROM clock_timestamp())`,
      bindings: { payment_ids: paymentIds },
      actor: { type: 'system' },
    }),
  );

/** Seconds that a payment's workflow has for it. */
const GRACE = 10;
const AT_ONCE = 500;

/**
 * Expires off-chain payments that are long over and still `pending`: whoever should have done it is gone, or waits for
 * something else.
 * @returns how many
 */
export const expireForgottenOffchain = async (knex: Knex): Promise<number> => {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM payments WHERE status = 'pending' AND payment_method <> 'web3'
       AND expires_unix < extract(epoch FROM clock_timestamp()) - :grace ORDER BY expires_unix LIMIT :limit`,
    { grace: GRACE, limit: AT_ONCE },
  );
  if (rows.length === 0) return 0;
  return (
    await expireOverdueOffchain(
      knex,
      rows.map((row) => row.id),
    )
  ).length;
};
