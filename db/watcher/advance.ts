import type { Knex } from 'knex';
import { transition } from '../payments/transition.ts';

const dealData = `jsonb_build_object('transaction_hash', m.deal_tx_hash, 'block_number', m.deal_block_number, 'block_hash', m.deal_block_hash)`;
const paidData = `jsonb_build_object('transaction_hash', m.paid_tx_hash, 'block_number', m.paid_block_number, 'block_hash', m.paid_block_hash)`;
const cancelData = `jsonb_build_object('transaction_hash', m.cancel_tx_hash, 'block_number', m.cancel_block_number, 'block_hash', m.cancel_block_hash)`;

/**
 * Moves the payments of a network to where the canonical blocks say they are. What was skipped (first seen deep in the
 * chain) is written step by step, because the statements run in the order of the story.
 * @param confirmedNumber newest block with the network's confirmations
 */
export const advancePayments = async (trx: Knex, networkId: string, confirmedNumber: number): Promise<void> => {
  const bindings = { network_id: networkId, confirmed_number: confirmedNumber };
  const chain = { type: 'chain' } as const;
  const buyer = { type: 'buyer', id: 'm.payer_address' } as const;

  await transition(trx, {
    name: 'deal_confirmed',
    where:
      'p.network_id = :network_id AND p.deal_block_number <= :confirmed_number AND p.deal_block_number IS NOT NULL',
    bindings,
    actor: chain,
    data: dealData,
  });
  // Few, and found by their own indexes. Asked for by status as well, all open payments would be read in every block.
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM payments WHERE network_id = :network_id AND terminal_at IS NULL AND paid_block_number IS NOT NULL
     UNION
     SELECT id FROM payments
     WHERE network_id = :network_id AND terminal_at IS NULL AND cancel_block_number <= :confirmed_number`,
    bindings,
  );
  if (rows.length === 0) return;
  const found = { going: rows.map((row) => row.id), confirmed_number: confirmedNumber };

  await transition(trx, {
    name: 'payment_detected',
    where: 'p.id = ANY(:going) AND p.paid_block_number IS NOT NULL',
    bindings: found,
    actor: buyer,
    data: paidData,
  });
  await transition(trx, {
    name: 'cancel_lost_race',
    where: 'p.id = ANY(:going) AND p.paid_block_number IS NOT NULL',
    bindings: found,
    actor: buyer,
    data: paidData,
  });
  await transition(trx, {
    name: 'payment_confirmed',
    where: 'p.id = ANY(:going) AND p.paid_block_number <= :confirmed_number',
    bindings: found,
    actor: chain,
    data: paidData,
  });
  await transition(trx, {
    name: 'cancel_confirmed',
    where: `p.id = ANY(:going) AND p.cancel_block_number <= :confirmed_number
      AND p.paid_block_number IS NULL`,
    bindings: found,
    actor: chain,
    data: cancelData,
  });
  await transition(trx, {
    name: 'cancel_foreign',
    where: `p.id = ANY(:going) AND p.cancel_block_number <= :confirmed_number
      AND p.paid_block_number IS NULL AND p.status <> 'canceling'`,
    bindings: found,
    actor: chain,
    data: cancelData,
    detail: 'canceled_foreign',
  });
};
