import type { Knex } from 'knex';
import type { BlockHeader, ExpiryCandidate } from '../../domain/ports/watcher.ts';
import { transition, type TransitionRequest } from '../payments/transition.ts';

interface ExpirableRow {
  id: string;
  diamond_address: string;
  deal_id: string;
  terms_hash: string;
}

/** Where on the chain it was seen, from the columns of the payment that begin with `name`. */
const placeOf = (name: 'deal' | 'paid' | 'cancel'): string =>
  `jsonb_build_object('transaction_hash', m.${name}_tx_hash, 'block_number', m.${name}_block_number,
    'block_hash', m.${name}_block_hash)`;

const chain: TransitionRequest['actor'] = { type: 'chain' };
const buyer: TransitionRequest['actor'] = { type: 'buyer', id: 'm.payer_address' };

/** Transitions of payments whose ids are `going`, in the order of the story. */
const going: readonly Omit<TransitionRequest, 'bindings'>[] = [
  { name: 'payment_detected', where: 'p.paid_block_number IS NOT NULL', actor: buyer, data: placeOf('paid') },
  { name: 'cancel_lost_race', where: 'p.paid_block_number IS NOT NULL', actor: buyer, data: placeOf('paid') },
  { name: 'payment_confirmed', where: 'p.paid_block_number <= :confirmed_number', actor: chain, data: placeOf('paid') },
  {
    name: 'cancel_confirmed',
    where: 'p.cancel_block_number <= :confirmed_number AND p.paid_block_number IS NULL',
    actor: chain,
    data: placeOf('cancel'),
  },
  {
    name: 'cancel_foreign',
    where: `p.cancel_block_number <= :confirmed_number AND p.paid_block_number IS NULL AND p.status <> 'canceling'`,
    actor: chain,
    data: placeOf('cancel'),
    detail: 'canceled_foreign',
  },
];

/**
 * Moves the payments of a network to where the canonical blocks say they are. What was skipped (first seen deep in the
 * chain) is written step by step, because the statements run in the order of the story.
 * @param confirmedNumber newest block with the network's confirmations
 */
export const advancePayments = async (trx: Knex, networkId: string, confirmedNumber: number): Promise<void> => {
  const bindings = { network_id: networkId, confirmed_number: confirmedNumber };
  await transition(trx, {
    name: 'deal_confirmed',
    where:
      'p.network_id = :network_id AND p.deal_block_number <= :confirmed_number AND p.deal_block_number IS NOT NULL',
    bindings,
    actor: chain,
    data: placeOf('deal'),
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
  for (const request of going) {
    await transition(trx, { ...request, where: `p.id = ANY(:going) AND ${request.where}`, bindings: found });
  }
};

/** Unpaid open payments whose expiry is at or before the judged block. Locks nothing: `expirePayments` looks again. */
export const loadExpirable = async (
  knex: Knex,
  networkId: string,
  judged: BlockHeader,
  limit: number,
): Promise<ExpiryCandidate[]> => {
  const { rows } = await knex.raw<{ rows: ExpirableRow[] }>(
    `SELECT id, diamond_address, deal_id, terms_hash FROM payments
     WHERE network_id = :network_id AND payment_method = 'web3' AND status IN ('pending', 'awaiting_payment', 'canceling')
       AND expires_unix <= :judged_timestamp AND paid_block_number IS NULL
     ORDER BY expires_unix LIMIT :limit`,
    { network_id: networkId, judged_timestamp: judged.timestamp, limit },
  );
  return rows.map((row) => ({
    paymentId: row.id,
    diamond: row.diamond_address,
    dealId: BigInt(row.deal_id),
    termsHash: row.terms_hash,
  }));
};

/** Expires those of the payments that are still unpaid, if the judged block is still the stored one. */
export const expirePayments = async (
  trx: Knex.Transaction,
  networkId: string,
  judged: BlockHeader,
  paymentIds: readonly string[],
): Promise<void> => {
  await transition(trx, {
    name: 'payment_expired',
    where: `p.id = ANY(:payment_ids) AND p.network_id = :network_id AND p.paid_block_number IS NULL
      AND p.expires_unix <= :judged_timestamp
      AND EXISTS (SELECT 1 FROM block_headers h
        WHERE h.network_id = p.network_id AND h.number = :judged_number AND h.hash = :judged_hash)`,
    bindings: {
      payment_ids: paymentIds,
      network_id: networkId,
      judged_timestamp: judged.timestamp,
      judged_number: judged.number,
      judged_hash: judged.hash,
    },
    actor: chain,
    data: `jsonb_build_object('block_number', :judged_number::bigint, 'block_hash', :judged_hash::text)`,
  });
};
