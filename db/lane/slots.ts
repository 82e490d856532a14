import type { Knex } from 'knex';
import type { Attempt, MinedSlot, NewAttempt, SendResult, Slot } from '../../domain/ports/lane.ts';
import { blockOfSlot, hasFewerDeals, isDisplaced } from '../intents/settle.ts';
import { planned } from '../query/statements.ts';

interface SlotRow {
  id: string;
  nonce: string;
  to_address: string;
  data: Buffer;
  value: string;
  gas_limit: string;
  state: Slot['state'];
  nudged_ms_ago: number | null;
}

interface AttemptRow {
  slot_id: string;
  seq: number;
  tx_hash: string;
  raw: Buffer;
  max_fee_per_gas: string;
  max_priority_fee_per_gas: string;
  sends: number;
  signed_ms_ago: number;
  sent_ms_ago: number | null;
  last_error: string | null;
}

/**
 * Converts an age into a time by `performance.now()`: the database's clock may differ, and the one of this machine may be set. After
 * the database's clock was set back, an age is negative; such a time counts as long past. The lane then acts at
 * once, which writes a new time.
 */
const timeOf = (msAgo: number): number => (msAgo < 0 ? -Infinity : performance.now() - msAgo);
const timeOrNull = (msAgo: number | null): number | null => (msAgo === null ? null : timeOf(msAgo));

const toAttempt = (row: AttemptRow): Attempt => ({
  seq: row.seq,
  txHash: row.tx_hash,
  raw: `0x${row.raw.toString('hex')}`,
  maxFeePerGas: BigInt(row.max_fee_per_gas),
  maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
  sends: row.sends,
  signedAt: timeOf(row.signed_ms_ago),
  lastSentAt: timeOrNull(row.sent_ms_ago),
  lastError: row.last_error,
});

const toSlot = (row: SlotRow, attempts: readonly Attempt[]): Slot => ({
  id: row.id,
  nonce: Number(row.nonce),
  to: row.to_address,
  data: `0x${row.data.toString('hex')}`,
  value: BigInt(row.value),
  gasLimit: BigInt(row.gas_limit),
  state: row.state,
  attempts,
  nudgedAt: timeOrNull(row.nudged_ms_ago),
});

const msSince = (column: string): string => `(extract(epoch FROM clock_timestamp() - ${column}) * 1000)::float8`;

/** Open slots of an account by nonce, each with its attempts, oldest first. */
export const loadOpenSlots = async (knex: Knex, accountId: string): Promise<Slot[]> => {
  const { rows: slots } = await planned<{ rows: SlotRow[] }>(
    knex,
    `SELECT id, nonce, to_address, data, value, gas_limit, state, ${msSince('nudged_at')} AS nudged_ms_ago FROM tx_slots
     WHERE account_id = :account_id AND state <> 'confirmed' AND state <> 'mined' ORDER BY nonce`,
    { account_id: accountId },
  );
  if (slots.length === 0) return [];
  const { rows: attempts } = await planned<{ rows: AttemptRow[] }>(
    knex,
    `SELECT slot_id, seq, tx_hash, raw, max_fee_per_gas, max_priority_fee_per_gas, sends, last_error,
       ${msSince('created_at')} AS signed_ms_ago, ${msSince('last_sent_at')} AS sent_ms_ago
     FROM tx_attempts WHERE slot_id = ANY(:slot_ids) ORDER BY seq`,
    { slot_ids: slots.map((slot) => slot.id) },
  );
  return slots.map((slot) => toSlot(slot, attempts.filter((attempt) => attempt.slot_id === slot.id).map(toAttempt)));
};

/**
 * Counts non-final transactions to an address, of all keys of a network including dismissed ones. A reorganisation can
 * still move them into another block.
 * @returns null where no watcher of this database has read the network up to `block`, so that the sender has another
 *   database
 */
export const countOpenTo = async (
  knex: Knex,
  { networkId, to, block }: { networkId: string; to: string; block: number },
): Promise<number | null> => {
  const { rows } = await knex.raw<{ rows: { open: number }[] }>(
    `SELECT (SELECT count(*)::int FROM tx_slots s JOIN signer_accounts a ON a.id = s.account_id
       WHERE a.network_id = n.id AND s.to_address = :to
         AND (s.state <> 'confirmed' OR s.block_number >= c.number - n.finality)) AS open
     FROM networks n JOIN watch_cursors c ON c.network_id = n.id WHERE n.id = :network_id AND c.number >= :block`,
    { network_id: networkId, to, block },
  );
  return rows[0]?.open ?? null;
};

/** Stores signed bytes in the caller's transaction. The lease keeps other writers from these slots. */
export const saveAttempts = async (trx: Knex.Transaction, attempts: readonly NewAttempt[]): Promise<void> => {
  if (attempts.length === 0) return;
  // An insert with one parameter each: as JSON text, the bytes of large batches would double.
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
  await planned(
    trx,
    `UPDATE tx_slots s SET state = 'signed', gas_limit = g.gas_limit, nudged_at = NULL,
       to_address = coalesce(g.to_address, s.to_address), data = coalesce(decode(g.data, 'hex'), s.data)
     FROM unnest(:slot_ids::uuid[], :gas_limits::bigint[], :to::text[], :data::text[]) AS g (id, gas_limit, to_address, data)
     WHERE s.id = g.id AND s.state IN ('assigned', 'signed')`,
    {
      slot_ids: attempts.map((attempt) => attempt.slotId),
      gas_limits: attempts.map((attempt) => attempt.gasLimit.toString()),
      to: attempts.map(({ call }) => call?.to ?? null),
      data: attempts.map(({ call }) => call?.data.slice(2) ?? null),
    },
  );
};

/** Counts sends, logs the first send of each attempt, and keeps the endpoint's error, in the caller's transaction. */
export const recordSends = async (trx: Knex.Transaction, results: readonly SendResult[]): Promise<void> => {
  await planned(
    trx,
    `WITH sent AS (
       UPDATE tx_attempts a SET sends = a.sends + 1, last_sent_at = clock_timestamp(), last_error = r.error
       FROM jsonb_to_recordset(:results::jsonb) AS r (slot_id uuid, seq int, error text)
       WHERE a.slot_id = r.slot_id AND a.seq = r.seq RETURNING a.*
     )
     INSERT INTO tx_slot_logs (slot_id, event_type, data)
     SELECT slot_id, CASE seq WHEN 1 THEN 'transaction_sent' ELSE 'transaction_bumped' END, jsonb_build_object(
       'transaction_hash', tx_hash, 'nonce', (SELECT s.nonce FROM tx_slots s WHERE s.id = slot_id),
       'max_fee_per_gas', max_fee_per_gas::text, 'max_priority_fee_per_gas', max_priority_fee_per_gas::text)
     FROM sent WHERE sends = 1`,
    {
      results: JSON.stringify(
        results.map((result) => ({ slot_id: result.slotId, seq: result.seq, error: result.error })),
      ),
    },
  );
};

const minedRows = `jsonb_to_recordset(:mined::jsonb) AS m (slot_id uuid, tx_hash text, block_number bigint, block_hash text,
  receipt_status smallint, gas_used bigint, effective_gas_price numeric, waiting jsonb, all_wait text)`;

/** The id of a payment's deal as a word of call data. */
const dealWord = `decode(lpad(to_hex(p.deal_id), 64, '0'), 'hex')`;

/**
 * Writes receipts onto slots, and waiting reasons onto their intents, in the caller's transaction. A later block replaces
 * an earlier one. The watcher judges whether the intents had an effect.
 */
export const recordMined = async (
  trx: Knex.Transaction,
  accountId: string,
  mined: readonly MinedSlot[],
): Promise<void> => {
  const bindings = {
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
        waiting: slot.waiting,
        all_wait: slot.allWait,
      })),
    ),
  };
  await planned(
    trx,
    `WITH mined AS (
       UPDATE tx_slots s SET state = 'mined', tx_hash = m.tx_hash, block_number = m.block_number,
         block_hash = m.block_hash, receipt_status = m.receipt_status, gas_used = m.gas_used,
         effective_gas_price = m.effective_gas_price, nudged_at = NULL
       FROM ${minedRows}
       WHERE s.id = m.slot_id AND s.account_id = :account_id AND s.state IN ('signed', 'mined')
       RETURNING s.*, old.block_hash AS old_block_hash
     )
     INSERT INTO tx_slot_logs (slot_id, event_type, data)
     SELECT id, 'transaction_mined', ${blockOfSlot('mined')} || jsonb_build_object('nonce', nonce,
       'succeeded', receipt_status = 1, 'gas_used', gas_used::text, 'effective_gas_price', effective_gas_price::text)
     FROM mined WHERE old_block_hash IS DISTINCT FROM block_hash`,
    bindings,
  );
  await planned(
    trx,
    `WITH reasons AS (
       SELECT i.id, coalesce(m.waiting ->> p.diamond_address, m.all_wait,
           CASE WHEN ${hasFewerDeals('m.slot_id')} AND ${isDisplaced('m.slot_id', 'm.tx_hash', dealWord)} THEN 'endpoint_refuses' END) AS waiting
       FROM ${minedRows}
       JOIN tx_intents i ON i.slot_id = m.slot_id AND i.state = 'assigned' JOIN payments p ON p.id = i.payment_id
       ORDER BY i.id FOR NO KEY UPDATE OF i
     )
     UPDATE tx_intents i SET waiting = r.waiting FROM reasons r WHERE i.id = r.id AND i.waiting IS DISTINCT FROM r.waiting`,
    bindings,
  );
};

/**
 * Closes a slot whose nonce a foreign transaction used by this block, once the watcher has read that block. In the caller's
 * transaction.
 */
export const closeForeign = async (
  trx: Knex.Transaction,
  accountId: string,
  slotId: string,
  block: number,
): Promise<void> => {
  const { rows } = await trx.raw<{ rows: { number: string; hash: string }[] }>(
    `SELECT c.number, c.hash FROM watch_cursors c JOIN signer_accounts a ON a.network_id = c.network_id
     WHERE a.id = :account_id AND c.number >= :block`,
    { account_id: accountId, block },
  );
  for (const { number, hash } of rows) {
    const at = { slotId, txHash: null, blockNumber: Number(number), blockHash: hash };
    const spent = { receiptStatus: 0, gasUsed: 0n, effectiveGasPrice: 0n } as const;
    await recordMined(trx, accountId, [{ ...at, ...spent, waiting: {}, allWait: 'lane_paused' }]);
  }
};
