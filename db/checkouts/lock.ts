import type { Knex } from 'knex';
import type { CheckoutStatus } from '../../domain/checkouts/checkout.ts';
import type { PaymentStatus } from '../../domain/payment.ts';
import { hasPassed } from '../choices/guards.ts';
import { lockCheckouts } from '../choices/settle.ts';
import { idsOf, rowIf } from '../query/statements.ts';

/** An open payment of a locked checkout, locked as well. */
export interface OpenChoice {
  readonly id: string;
  readonly choice: number;
  readonly option_index: number;
  readonly status: PaymentStatus;
  readonly is_blocked: boolean;
}

/** A checkout that is locked with its open payments until the transaction ends. */
export interface LockedCheckout {
  readonly id: string;
  readonly status: CheckoutStatus;
  readonly choices: number;
  readonly on_chain_cancel: boolean;
  readonly is_cancel_requested: boolean;
  readonly has_passed: boolean;
  /** Oldest choice first. */
  readonly open: readonly OpenChoice[];
}

const openIds = (trx: Knex.Transaction, id: string, suffix: string): Promise<string[]> =>
  idsOf(trx, [id])(`SELECT id FROM payments WHERE checkout_id = ? AND terminal_at IS NULL ORDER BY id ${suffix}`);

/**
 * Locks a checkout with its open payments: the payments first, as everywhere. A choice that is made meanwhile
 * starts the locking again, at most once for each choice of a checkout.
 * @returns null when there is no such checkout
 */
export const lockCheckout = async (trx: Knex.Transaction, id: string): Promise<LockedCheckout | null> => {
  for (;;) {
    await trx.raw('SAVEPOINT lock_checkout');
    const locked = await openIds(trx, id, 'FOR NO KEY UPDATE');
    await lockCheckouts(trx, [id]);
    const open = await openIds(trx, id, '');
    if (open.every((payment) => locked.includes(payment))) break;
    // Ends the locks.
    await trx.raw('ROLLBACK TO SAVEPOINT lock_checkout');
  }
  await trx.raw('RELEASE SAVEPOINT lock_checkout');
  return rowIf<LockedCheckout>(trx, [id])(`
     SELECT c.id, c.status, c.choices, c.on_chain_cancel, c.cancel_requested_at IS NOT NULL AS is_cancel_requested,
       ${hasPassed} AS has_passed, (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'choice', p.choice, 'option_index', p.option_index,
         'status', p.status, 'is_blocked', p.is_blocked) ORDER BY p.choice), '[]')
       FROM payments p WHERE p.checkout_id = c.id AND p.terminal_at IS NULL) AS open
     FROM checkouts c WHERE c.id = ?`);
};
