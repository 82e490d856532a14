import type { Knex } from 'knex';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { insertCancelIntents } from '../intents/deals.ts';
import { reopenSlots } from '../intents/settle.ts';
import { transition } from '../payments/transition.ts';
import { createAgain } from './deals.ts';
import { reverseEnded } from './reversed.ts';
import { forgetPayment, lostPayment, returns } from './transitions.ts';

/**
 * Forgets every block above the common ancestor and what payments and slots had from them. Signed bytes stay: the lane
 * sends them again. A payment that was over keeps its status and its hash, raises an alert and is told of.
 * @returns the alerts that are new
 */
export const rewindTo = async (trx: Knex, networkId: string, ancestor: number): Promise<RaisedAlert[]> => {
  const bindings = { network_id: networkId, ancestor };
  const raised = await reverseEnded(trx, bindings);
  await forgetDeals(trx, bindings);
  const { pending, canceling } = await forgetPayments(trx, bindings);
  await reopenSlots(trx, 's.block_number > :ancestor', bindings);
  // What was withdrawn when the payment was seen, or has come to nothing because of it, is wanted again.
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

/** Deals, cancels and conflicts are not there any more. Locks the payments first, in the order of their ids. */
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
 * Payments of buyers that are not there any more; each goes back to where it was before. One that was paid but not yet
 * `processing` can not be: both are written in one transaction.
 * @returns the ids of those that are pending or canceling again
 */
const forgetPayments = async (trx: Knex, bindings: Bindings): Promise<Record<'pending' | 'canceling', string[]>> => {
  const lost = 'p.network_id = :network_id AND p.paid_block_number > :ancestor';
  const isConfirmed = `p.deal_block_number IS NOT NULL
    AND p.deal_block_number <= (SELECT c.confirmed_number FROM watch_cursors c WHERE c.network_id = p.network_id)`;
  const back = { pending: [] as string[], canceling: [] as string[] };
  for (const { name, where } of returns(isConfirmed)) {
    const moved = await transition(trx, {
      name,
      where: `${lost} AND ${where}`,
      bindings,
      actor: { type: 'chain' },
      data: lostPayment,
      set: forgetPayment,
    });
    if (name === 'payment_reorged_to_pending') back.pending = moved;
    if (name === 'payment_reorged_to_canceling') back.canceling = moved;
  }
  return back;
};
