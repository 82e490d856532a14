import type { Knex } from 'knex';
import type { ConfirmableSlot } from '../../domain/lane.ts';
import { intentColumns, toQueuedIntent, type IntentRow } from './intents.ts';

interface SlotRow {
  id: string;
  tx_hash: string;
  block_number: string;
  block_hash: string;
  receipt_status: 0 | 1;
}

/**
 * Mined slots of an account whose block the watcher has read, has the network's confirmations and is canonical (or older
 * than every header that is kept), with those intents whose effect no log has told.
 */
export const loadConfirmable = async (knex: Knex, accountId: string): Promise<ConfirmableSlot[]> => {
  const { rows: slots } = await knex.raw<{ rows: SlotRow[] }>(
    `SELECT s.id, s.tx_hash, s.block_number, s.block_hash, s.receipt_status FROM tx_slots s
     JOIN signer_accounts a ON a.id = s.account_id
     JOIN networks n ON n.id = a.network_id
     JOIN watch_cursors c ON c.network_id = a.network_id
     LEFT JOIN block_headers h ON h.network_id = a.network_id AND h.number = s.block_number
     WHERE s.account_id = :account_id AND s.state = 'mined' AND s.block_number <= c.confirmed_number
       AND (h.hash = s.block_hash OR (h.hash IS NULL AND s.block_number < c.number - n.finality))
     ORDER BY s.nonce`,
    { account_id: accountId },
  );
  if (slots.length === 0) return [];
  const { rows: intents } = await knex.raw<{ rows: (IntentRow & { slot_id: string })[] }>(
    `SELECT i.slot_id, ${intentColumns} FROM tx_intents i JOIN payments p ON p.id = i.payment_id
     WHERE i.slot_id = ANY(:slot_ids) AND i.state = 'assigned' AND (
       (i.purpose = 'create_deal' AND p.status = 'pending' AND p.deal_block_number IS NULL)
       OR (i.purpose = 'cancel_deal' AND p.status = 'canceling' AND p.cancel_block_number IS NULL
         AND p.paid_block_number IS NULL))`,
    { slot_ids: slots.map((slot) => slot.id) },
  );
  return slots.map((slot) => ({
    slotId: slot.id,
    txHash: slot.tx_hash,
    blockNumber: Number(slot.block_number),
    blockHash: slot.block_hash,
    receiptStatus: slot.receipt_status,
    unresolved: intents.filter((intent) => intent.slot_id === slot.id).map(toQueuedIntent),
  }));
};
