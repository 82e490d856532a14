import type { Knex } from 'knex';
import type { Attempt, Slot } from '../../domain/lane.ts';

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
  created_at: Date;
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
  createdAt: row.created_at.getTime(),
});

/** The slots of an account that are not confirmed yet, by nonce, each with its attempts, oldest first. */
export const loadOpenSlots = async (knex: Knex, accountId: string): Promise<Slot[]> => {
  const slots = await knex('tx_slots')
    .where({ account_id: accountId })
    .whereNot({ state: 'confirmed' })
    .orderBy('nonce')
    .select<SlotRow[]>('*');
  if (slots.length === 0) return [];
  const attempts = await knex('tx_attempts')
    .whereIn(
      'slot_id',
      slots.map((slot) => slot.id),
    )
    .orderBy('seq')
    .select<AttemptRow[]>('*');
  return slots.map((slot) => toSlot(slot, attempts.filter((attempt) => attempt.slot_id === slot.id).map(toAttempt)));
};
