import type { Knex } from 'knex';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { insertCancelIntents } from '../intents/deals.ts';
import { reopenSlots } from '../intents/settle.ts';
import { transitionByWatcher } from '../payments/transition.ts';
import { createAgain } from './deals.ts';
import { reverseEnded } from './reversed.ts';
import { forgetPayment, lostPayment } from './transitions.ts';

/**
 * Deletes every block above the common ancestor, and what payments and slots took from those blocks. Signed bytes stay: the
 * lane sends them again. A payment that has ended keeps its status and its hash; an alert and a note report it.
 * @returns the new alerts
 */
export const rewindTo = async (trx: Knex, networkId: string, ancestor: number): Promise<RaisedAlert[]> => {
  const bindings = { network_id: networkId, ancestor };
  const raised = await reverseEnded(trx, bindings);
  await forgetDeals(trx, bindings);
  const { pending, canceling } = await forgetPayments(trx, bindings);
  await reopenSlots(trx, 's.block_number > :ancestor', bindings);
  // Enqueues intents again that were withdrawn, or had no effect, because the payment was seen.
  await createAgain(trx, pending);
  await insertCancelIntents(trx, canceling);
  await trx.raw('DELETE FROM block_headers WHERE network_id = :network_id AND number > :ancestor', bindings);
  await trx.raw(
    `UPDATE watch_cursors c SET number = :ancestor, hash = (SELECT h.hash FROM block_headers h
       WHERE h.network_id = c.network_id AND h.number = :ancestor), confirmed_number = least(c.confirmed_number, :ancestor)
     WHERE c.network_id = :network_id`,
    bindings,
  );
  return raised;
};

type Bindings = Record<'network_id' | 'ancestor', string | number>;

/** Clears the deals, cancels and conflicts that were removed. Locks the payments first, in the order of their ids. */
const forgetDeals = async (trx: Knex, bindings: Bindings): Promise<void> => {
  await trx.raw(
    `SELECT p.id FROM payments p WHERE p.network_id = :network_id AND p.terminal_at IS NULL
       AND (p.deal_block_number > :ancestor OR p.cancel_block_number > :ancestor OR p.conflict_block_number > :ancestor
         OR (p.status = 'processing' AND p.paid_block_number > :ancestor))
     ORDER BY p.id FOR NO KEY UPDATE`,
    bindings,
  );
  for (const column of ['deal', 'cancel', 'conflict']) {
    await trx.raw(
      `UPDATE payments SET ${column}_tx_hash = NULL, ${column}_block_number = NULL, ${column}_block_hash = NULL,
         updated_at = clock_timestamp()
       WHERE network_id = :network_id AND terminal_at IS NULL AND ${column}_block_number > :ancestor`,
      bindings,
    );
  }
};

/**
 * Moves payments whose block was removed back to their earlier status. All of them are `processing`: the transaction that
 * records a payment moves it as well.
 * @returns the ids of those that are pending or canceling again
 */
const forgetPayments = async (trx: Knex, bindings: Bindings): Promise<Record<'pending' | 'canceling', string[]>> => {
  const back = (name: 'payment_reorged' | 'payment_reorged_to_pending' | 'payment_reorged_to_canceling') =>
    transitionByWatcher(trx, {
      name,
      where: 'p.network_id = :network_id AND p.paid_block_number > :ancestor',
      bindings,
      actor: { type: 'chain' },
      data: lostPayment,
      set: forgetPayment,
    });
  const canceling = await back('payment_reorged_to_canceling');
  await back('payment_reorged');
  const pending = await back('payment_reorged_to_pending');
  return { pending, canceling };
};
