import type { Knex } from 'knex';
import { diamondCommand, insertCommands } from '../outbox/commands.ts';
import { executePlanned, planned, plannedRowsOf } from '../query/statements.ts';

type Bindings = Record<string, unknown>;

/** SQL of the place where a slot was mined, in the form of its log entry. */
export const blockOfSlot = (slot: string): string =>
  `jsonb_build_object('transaction_hash', ${slot}.tx_hash, 'block_number', ${slot}.block_number,
    'block_hash', ${slot}.block_hash)`;

/**
 * SQL of the ids of mined slots whose block has the network's confirmations, and is the stored block of its number or older than every
 * stored header.
 */
export const settledSlots = `SELECT s.id FROM tx_slots s
  JOIN signer_accounts a ON a.id = s.account_id JOIN networks n ON n.id = a.network_id
  JOIN watch_cursors c ON c.network_id = a.network_id
  LEFT JOIN block_headers h ON h.network_id = a.network_id AND h.number = s.block_number
  WHERE a.network_id = :network_id AND s.state = 'mined' AND s.block_number <= :judged_number
    AND (h.hash = s.block_hash OR (h.hash IS NULL AND s.block_number < c.number - n.finality))`;

/**
 * SQL: the mined attempt of a slot has not these bytes, which tell an intent from others: another attempt with fewer intents, or none of
 * them, was mined. The signed bytes contain the call data.
 * @param txHash the mined attempt
 */
export const isDisplaced = (slotId: string, txHash: string, bytes: string): string =>
  `EXISTS (SELECT 1 FROM tx_attempts t WHERE t.slot_id = ${slotId} AND t.tx_hash = ${txHash} AND position(${bytes} IN t.raw) = 0)`;

/** SQL: a slot's attempts call for different deals. Those with the same call differ by a few bytes of fees, and a deal takes at least 32. */
export const hasFewerDeals = (slotId: string): string =>
  `(SELECT max(octet_length(t.raw)) - min(octet_length(t.raw)) > 31 FROM tx_attempts t WHERE t.slot_id = ${slotId})`;

/**
 * Closes the intents of these payments whose slots are settled, by the words of their deals. Locks slots before intents, like a lane
 * that writes receipts.
 */
export const settleIntents = async (trx: Knex, bindings: Bindings): Promise<void> => {
  await planned(trx, `SELECT id FROM tx_slots WHERE id IN (${settledSlots}) ORDER BY id FOR NO KEY UPDATE`, bindings);
  // Verdicts are looked up, not joined: PostgreSQL would scan a set of rows without statistics once for each intent.
  await executePlanned(
    trx,
    bindings,
  )(`
WITH due AS MATERIALIZED (
  SELECT i.id, i.purpose, :verdicts::jsonb ->> i.payment_id::text AS verdict FROM tx_intents i
  WHERE i.slot_id = ANY (ARRAY(${settledSlots})) AND i.state = 'assigned' AND i.payment_id = ANY(:all)
)
UPDATE tx_intents i SET state = 'settled', settled_at = clock_timestamp(), outcome = CASE
  WHEN due.purpose = 'create_deal' AND due.verdict = 'conflict' THEN 'conflict'
  WHEN due.purpose = 'create_deal' AND due.verdict IN ('open', 'paid', 'cancelled') THEN 'effective'
  WHEN due.purpose = 'cancel_deal' AND due.verdict NOT IN ('absent', 'open') THEN 'effective'
  ELSE 'no_effect' END
FROM due WHERE i.id = due.id AND i.state = 'assigned'`);
};

/**
 * Closes the settled slots that have no intent left to judge. The receipt decides for a call of a deployment, unless it is that of a
 * filler: its step inspects the chain again anyway.
 */
export const closeSlots = async (trx: Knex, bindings: Bindings): Promise<void> => {
  const rows = await plannedRowsOf<Parameters<typeof diamondCommand>[0]>(
    trx,
    bindings,
  )(`
WITH settled AS MATERIALIZED (
  SELECT id, receipt_status, tx_hash FROM tx_slots s WHERE id IN (${settledSlots}) AND NOT EXISTS (SELECT 1 FROM tx_intents i
    WHERE i.slot_id = s.id AND i.state = 'assigned' AND i.payment_id IS NOT NULL)
), closed AS (
  UPDATE tx_slots s SET state = 'confirmed', confirmed_at = clock_timestamp() FROM settled WHERE s.id = settled.id
  RETURNING s.*
), logged AS (
  INSERT INTO tx_slot_logs (slot_id, event_type, data)
  SELECT id, 'transaction_confirmed', ${blockOfSlot('closed')} FROM closed
), calls AS (
  UPDATE tx_intents i SET state = 'settled', settled_at = clock_timestamp(),
    outcome = CASE WHEN settled.receipt_status = 1 AND NOT (i.data IS NOT NULL AND ${isDisplaced('settled.id', 'settled.tx_hash', 'i.data')})
      THEN 'effective' ELSE 'no_effect' END
  FROM settled WHERE i.slot_id = settled.id AND i.state = 'assigned' RETURNING i.step_id
)
SELECT DISTINCT d.wallet_id AS "walletId", d.network_id AS "networkId", w.node_id AS "nodeId"
FROM calls JOIN deployment_steps s ON s.id = calls.step_id JOIN deployments d ON d.id = s.deployment_id
JOIN wallets w ON w.id = d.wallet_id`);
  await insertCommands(trx, rows.map(diamondCommand));
};

/**
 * Reopens the slots whose blocks are not canonical, with their intents. The lane sends their signed bytes again.
 * @param lost SQL condition over `tx_slots s` and `signer_accounts a`
 */
export const reopenSlots = (trx: Knex, lost: string, bindings: Bindings) =>
  planned(
    trx,
    `
WITH unmined AS (
  UPDATE tx_slots s SET state = 'signed', tx_hash = NULL, block_number = NULL, block_hash = NULL, receipt_status = NULL,
    gas_used = NULL, effective_gas_price = NULL, confirmed_at = NULL
  FROM signer_accounts a
  WHERE a.id = s.account_id AND a.network_id = :network_id AND ${lost}
  RETURNING s.id, old.tx_hash, old.block_number, old.block_hash
), logged AS (
  INSERT INTO tx_slot_logs (slot_id, event_type, data)
  SELECT id, 'transaction_reorged', ${blockOfSlot('unmined')} FROM unmined
)
UPDATE tx_intents i SET state = 'assigned', outcome = NULL, settled_at = NULL
FROM unmined WHERE i.slot_id = unmined.id AND i.state = 'settled'`,
    bindings,
  );
