import type { Knex } from 'knex';
import { wantDealsAgain } from '../intents/deals.ts';
import { settledSlots } from '../intents/settle.ts';
import { transitionByWatcher } from '../payments/transition.ts';

/**
 * Records where the deals of these payments were created whose words prove them although no log was seen: the block of the slot, or
 * the judged block where no slot is settled.
 */
export const adoptDeals = async (
  trx: Knex,
  bindings: Record<string, unknown>,
  paymentIds: readonly string[],
): Promise<void> => {
  if (paymentIds.length === 0) return;
  await trx.raw(
    `UPDATE payments p SET deal_tx_hash = s.tx_hash, deal_block_number = s.block_number, deal_block_hash = s.block_hash,
       updated_at = clock_timestamp()
     FROM tx_intents i JOIN tx_slots s ON s.id = i.slot_id
     WHERE p.id = ANY(:payment_ids) AND p.deal_tx_hash IS NULL AND s.tx_hash IS NOT NULL
       AND i.payment_id = p.id AND i.purpose = 'create_deal' AND i.state = 'assigned' AND s.id IN (${settledSlots})`,
    { ...bindings, payment_ids: paymentIds },
  );
  await trx.raw(
    `UPDATE payments SET deal_block_number = :judged_number, deal_block_hash = :judged_hash, updated_at = clock_timestamp()
     WHERE id = ANY(:payment_ids) AND deal_block_number IS NULL AND terminal_at IS NULL`,
    { ...bindings, payment_ids: paymentIds },
  );
};

/** Queues creates again for payments whose words show no deal. A payment without retries left fails. */
export const createAgain = async (trx: Knex, paymentIds: readonly string[]): Promise<void> => {
  if (paymentIds.length === 0) return;
  await wantDealsAgain(trx, paymentIds, false);
  await transitionByWatcher(trx, {
    name: 'deal_failed',
    where: 'p.id = ANY(:payment_ids)',
    bindings: { payment_ids: paymentIds },
    actor: { type: 'chain' },
  });
};
