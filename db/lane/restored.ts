import type { Knex } from 'knex';
import type { FoundTransaction, RestoredLane } from '../../domain/ports/lane.ts';
import { saveAttempts } from './slots.ts';

interface RestoredRow {
  restore_id: string;
  nonce: string;
  from_block: string;
  number: string;
  confirmed_number: string | null;
  confirmed_hash: string | null;
}

/** The part that a restored lane must judge; null when there is none. */
export const loadRestored = async (knex: Knex, accountId: string): Promise<RestoredLane | null> => {
  const { rows } = await knex.raw<{ rows: RestoredRow[] }>(
    `SELECT r.restore_id, r.nonce, r.from_block, c.number, h.number AS confirmed_number, h.hash AS confirmed_hash
     FROM restored_lanes r JOIN signer_accounts a ON a.id = r.account_id
     JOIN watch_cursors c ON c.network_id = a.network_id AND c.number IS NOT NULL
     LEFT JOIN block_headers h ON h.network_id = a.network_id AND h.number = c.confirmed_number
     WHERE r.account_id = :account_id AND r.outcome IS NULL`,
    { account_id: accountId },
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { confirmed_number: number, confirmed_hash: hash } = row;
  return {
    restoreId: row.restore_id,
    nonce: Number(row.nonce),
    fromBlock: Number(row.from_block),
    cursor: Number(row.number),
    confirmed: number === null || hash === null ? null : { number: Number(number), hash },
  };
};

/** Ends the leave of a restored lane, in the caller's transaction. */
export const endRestored = async (
  trx: Knex.Transaction,
  accountId: string,
  outcome: 'unneeded' | 'resumed' | 'paused',
): Promise<void> => {
  await trx.raw(
    `UPDATE restored_lanes SET outcome = :outcome, ended_at = clock_timestamp() WHERE account_id = :account_id AND outcome IS NULL`,
    { account_id: accountId, outcome },
  );
};

/** The deals without a payment of these terms, and the cancels of payments that nobody here asked to cancel. */
export const foreignDeals = async <Deal extends { diamond: string; dealId: bigint; termsHash: string | null }>(
  knex: Knex,
  accountId: string,
  deals: readonly Deal[],
): Promise<{ readonly unknown: readonly Deal[]; readonly unasked: readonly Deal[] }> => {
  const { rows } = await knex.raw<{ rows: { is_unknown: boolean; is_unasked: boolean }[] }>(
    `SELECT p.id IS NULL AS is_unknown, p.id IS NOT NULL AND d.terms IS NULL AND p.cancel_requested_at IS NULL AS is_unasked
     FROM signer_accounts a CROSS JOIN jsonb_to_recordset(:deals::jsonb) AS d (place int, diamond text, id bigint, terms text)
     LEFT JOIN payments p ON p.network_id = a.network_id AND p.diamond_address = d.diamond AND p.deal_id = d.id
       AND (d.terms IS NULL OR p.terms_hash = d.terms)
     WHERE a.id = :account_id ORDER BY d.place`,
    {
      account_id: accountId,
      deals: JSON.stringify(
        deals.map(({ diamond, dealId, termsHash }, place) => ({
          place,
          diamond,
          id: dealId.toString(),
          terms: termsHash,
        })),
      ),
    },
  );
  return {
    unknown: deals.filter((_, index) => rows[index]?.is_unknown),
    unasked: deals.filter((_, index) => rows[index]?.is_unasked),
  };
};

/**
 * Takes transactions of a restored lane's key into its books, in the caller's transaction: as attempts of their slots, or in slots
 * without intents for nonces that the database never gave.
 */
export const takeOver = async (
  trx: Knex.Transaction,
  accountId: string,
  { nonce, found }: { readonly nonce: number; readonly found: readonly FoundTransaction[] },
): Promise<void> => {
  const attempts = [];
  for (const one of found) {
    const { rows } = await trx.raw<{ rows: [{ id: string; seq: number; is_known: boolean }] }>(
      `WITH made AS (INSERT INTO tx_slots (account_id, nonce, to_address, data, gas_limit)
         VALUES (:account_id, :nonce, :to_address, :data, :gas_limit) ON CONFLICT (account_id, nonce) DO NOTHING RETURNING id),
       slot AS (SELECT id FROM made UNION ALL SELECT id FROM tx_slots WHERE account_id = :account_id AND nonce = :nonce LIMIT 1)
       SELECT id, coalesce((SELECT max(t.seq) FROM tx_attempts t WHERE t.slot_id = slot.id), 0) + 1 AS seq,
         EXISTS (SELECT 1 FROM tx_attempts t WHERE t.tx_hash = :tx_hash) AS is_known FROM slot`,
      {
        account_id: accountId,
        nonce: one.nonce,
        to_address: one.to,
        data: Buffer.from(one.data.slice(2), 'hex'),
        gas_limit: one.gasLimit.toString(),
        tx_hash: one.txHash,
      },
    );
    const [{ id: slotId, seq, is_known: isKnown }] = rows;
    if (!isKnown) attempts.push({ ...one, slotId, seq });
  }
  await saveAttempts(trx, attempts);
  await trx.raw(
    `UPDATE signer_accounts SET next_nonce = greatest(next_nonce, :nonce::bigint), updated_at = now() WHERE id = :account_id`,
    { account_id: accountId, nonce },
  );
  await endRestored(trx, accountId, 'resumed');
};
