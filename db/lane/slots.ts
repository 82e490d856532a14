import type { Knex } from 'knex';
import type { Attempt, MinedSlot, NewAttempt, SendResult, Slot } from '../../domain/ports/lane.ts';

interface SlotRow {
  id: string;
  nonce: string;
  to_address: string;
  data: Buffer;
  value: string;
  gas_limit: string;
  state: Slot['state'];
  block_number: string | null;
  block_hash: string | null;
  tx_hash: string | null;
}

interface AttemptRow {
  slot_id: string;
  seq: number;
  tx_hash: string;
  raw: Buffer;
  max_fee_per_gas: string;
  max_priority_fee_per_gas: string;
  sends: number;
  last_sent_at: Date | null;
}

const toAttempt = (row: AttemptRow): Attempt => ({
  seq: row.seq,
  txHash: row.tx_hash,
  raw: `0x${row.raw.toString('hex')}`,
  maxFeePerGas: BigInt(row.max_fee_per_gas),
  maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
  sends: row.sends,
  lastSentAt: row.last_sent_at?.getTime() ?? null,
});

const toSlot = (row: SlotRow, attempts: readonly Attempt[]): Slot => ({
  id: row.id,
  nonce: Number(row.nonce),
  to: row.to_address,
  data: `0x${row.data.toString('hex')}`,
  value: BigInt(row.value),
  gasLimit: BigInt(row.gas_limit),
  state: row.state,
  blockNumber: row.block_number === null ? null : Number(row.block_number),
  blockHash: row.block_hash,
  txHash: row.tx_hash,
  attempts,
});

/** The slots of an account that are not confirmed yet, by nonce, each with its attempts, oldest first. */
export const loadOpenSlots = async (knex: Knex, accountId: string): Promise<Slot[]> => {
  const { rows: slots } = await knex.raw<{ rows: SlotRow[] }>(
    `SELECT id, nonce, to_address, data, value, gas_limit, state, block_number, block_hash, tx_hash
     FROM tx_slots WHERE account_id = :account_id AND state <> 'confirmed' ORDER BY nonce`,
    { account_id: accountId },
  );
  if (slots.length === 0) return [];
  const { rows: attempts } = await knex.raw<{ rows: AttemptRow[] }>(
    `SELECT slot_id, seq, tx_hash, raw, max_fee_per_gas, max_priority_fee_per_gas, sends, last_sent_at
     FROM tx_attempts WHERE slot_id = ANY(:slot_ids) ORDER BY seq`,
    { slot_ids: slots.map((slot) => slot.id) },
  );
  return slots.map((slot) => toSlot(slot, attempts.filter((attempt) => attempt.slot_id === slot.id).map(toAttempt)));
};

/** Commits signed bytes, in the caller's transaction; the lease keeps other writers from these slots. */
export const saveAttempts = async (trx: Knex.Transaction, attempts: readonly NewAttempt[]): Promise<void> => {
  if (attempts.length === 0) return;
  // As parameters of their own: the bytes of large batches would double as text.
  await trx('tx_attempts').insert(
    attempts.map((attempt) => ({
      slot_id: attempt.slotId,
      seq: attempt.seq,
      tx_hash: attempt.txHash,
      raw: Buffer.from(attempt.raw.slice(2), 'hex'),
      max_fee_per_gas: attempt.maxFeePerGas.toString(),
      max_priority_fee_per_gas: attempt.maxPriorityFeePerGas.toString(),
    })),
  );
  await trx.raw(`UPDATE tx_slots SET state = 'signed' WHERE id = ANY(:slot_ids) AND state = 'assigned'`, {
    slot_ids: attempts.map((attempt) => attempt.slotId),
  });
};

/** Counts sends and keeps what the endpoint said, in the caller's transaction. */
export const recordSends = async (trx: Knex.Transaction, results: readonly SendResult[]): Promise<void> => {
  await trx.raw(
    `UPDATE tx_attempts a SET sends = a.sends + 1, last_sent_at = clock_timestamp(), last_error = r.error
     FROM jsonb_to_recordset(:results::jsonb) AS r (slot_id uuid, seq int, error text)
     WHERE a.slot_id = r.slot_id AND a.seq = r.seq`,
    {
      results: JSON.stringify(
        results.map((result) => ({ slot_id: result.slotId, seq: result.seq, error: result.error })),
      ),
    },
  );
};

/** Writes receipts onto their slots, in the caller's transaction; a later block replaces an earlier one. */
export const recordMined = async (
  trx: Knex.Transaction,
  accountId: string,
  mined: readonly MinedSlot[],
): Promise<void> => {
  await trx.raw(
    `UPDATE tx_slots s SET state = 'mined', tx_hash = m.tx_hash, block_number = m.block_number,
       block_hash = m.block_hash, receipt_status = m.receipt_status, gas_used = m.gas_used,
       effective_gas_price = m.effective_gas_price
     FROM jsonb_to_recordset(:mined::jsonb) AS m (slot_id uuid, tx_hash text, block_number bigint, block_hash text,
       receipt_status smallint, gas_used bigint, effective_gas_price numeric)
     WHERE s.id = m.slot_id AND s.account_id = :account_id AND s.state IN ('signed', 'mined')`,
    {
      account_id: accountId,
      mined: JSON.stringify(
        mined.map((slot) => ({
          slot_id: slot.slotId,
          tx_hash: slot.txHash,
          block_number: slot.blockNumber,
          block_hash: slot.blockHash,
          receipt_status: slot.receiptStatus,
          gas_used: slot.gasUsed.toString(),
          effective_gas_price: slot.effectiveGasPrice.toString(),
        })),
      ),
    },
  );
};

/** Back to `signed`, in the caller's transaction: the receipt's block is not canonical any more. */
export const recordUnmined = async (
  trx: Knex.Transaction,
  accountId: string,
  slotIds: readonly string[],
): Promise<void> => {
  await trx.raw(
    `UPDATE tx_slots SET state = 'signed', tx_hash = NULL, block_number = NULL, block_hash = NULL,
       receipt_status = NULL, gas_used = NULL, effective_gas_price = NULL
     WHERE id = ANY(:slot_ids) AND account_id = :account_id AND state = 'mined'`,
    { account_id: accountId, slot_ids: slotIds },
  );
};
