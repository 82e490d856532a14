import type { Knex } from 'knex';
import { createKey } from '../lane/intents.ts';
import { placeOf } from '../lane/slots.ts';
import { diamondCommand, insertCommands } from '../outbox/commands.ts';
import { transition } from '../payments/transition.ts';
import { planned } from '../query/prepared.ts';

type Bindings = Record<string, unknown>;

/**
 * SQL of the ids of mined slots whose block is the stored one of its number, or older than every header that is kept, and
 * has the network's confirmations.
 */
export const settledSlots = `SELECT s.id FROM tx_slots s
  JOIN signer_accounts a ON a.id = s.account_id JOIN networks n ON n.id = a.network_id
  JOIN watch_cursors c ON c.network_id = a.network_id
  LEFT JOIN block_headers h ON h.network_id = a.network_id AND h.number = s.block_number
  WHERE a.network_id = :network_id AND s.state = 'mined' AND s.block_number <= :judged_number
    AND (h.hash = s.block_hash OR (h.hash IS NULL AND s.block_number < c.number - n.finality))`;

/**
 * The words of these payments say that the deal is there although no log told so: the slot tells where it was created, and
 * where there is none the judged block stands for it.
 */
export const adoptDeals = async (trx: Knex, bindings: Bindings, paymentIds: readonly string[]): Promise<void> => {
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

/**
 * Closes the intents of these payments whose slots are settled, by the words of their deals. Locks slots before intents, as
 * a lane that writes receipts.
 */
export const settleIntents = async (trx: Knex, bindings: Bindings): Promise<void> => {
  await planned(trx, `SELECT id FROM tx_slots WHERE id IN (${settledSlots}) ORDER BY id FOR NO KEY UPDATE`, bindings);
  // Verdicts are looked up, not joined: a set of rows without statistics is walked once for each intent.
  await planned(
    trx,
    `
WITH due AS MATERIALIZED (
  SELECT i.id, i.purpose, :verdicts::jsonb ->> i.payment_id::text AS verdict FROM tx_intents i
  WHERE i.slot_id = ANY (ARRAY(${settledSlots})) AND i.state = 'assigned' AND i.payment_id = ANY(:all)
)
UPDATE tx_intents i SET state = 'settled', settled_at = clock_timestamp(), outcome = CASE
  WHEN due.purpose = 'create_deal' AND due.verdict = 'conflict' THEN 'conflict'
  WHEN due.purpose = 'create_deal' AND due.verdict IN ('open', 'paid', 'cancelled') THEN 'effective'
  WHEN due.purpose = 'cancel_deal' AND due.verdict NOT IN ('absent', 'open') THEN 'effective'
  ELSE 'no_effect' END
FROM due WHERE i.id = due.id AND i.state = 'assigned'`,
    bindings,
  );
};

/** SQL of the create of the newest generation of payment `p`: only it may be under way. Ids come from a clock that may step back. */
const lastCreate = `(SELECT i.state, i.outcome, i.waiting, s.receipt_status
  FROM tx_intents i LEFT JOIN tx_slots s ON s.id = i.slot_id
  WHERE i.idempotency_key = ${createKey('p.id', 'p.create_generation')})`;

/**
 * Wants the deals of these pending payments again, in the lane that their diamonds have now, where no create is under way.
 * Only a create without effect uses a retry up, and not where it had to wait, nor where its whole
 * transaction failed, as one does that runs out of gas: that is no deal's fault.
 * @param isAsked somebody asks for it, and not a word that says it is not there: then it uses up none, and what had an effect
 *   is not wanted again
 */
export const wantDealsAgain = async (trx: Knex, paymentIds: readonly string[], isAsked: boolean): Promise<void> => {
  await trx.raw(
    `
WITH again AS (
  SELECT p.id, d.operator_account_id, l.waiting,
    NOT :is_asked AND coalesce(l.outcome = 'no_effect' AND l.waiting IS NULL AND l.receipt_status = 1, false) AS uses_retry
  FROM payments p
  JOIN diamonds d ON d.wallet_id = p.wallet_id AND d.network_id = p.network_id AND d.address = p.diamond_address
    AND d.status = 'active'
  LEFT JOIN LATERAL ${lastCreate} l ON true
  WHERE p.id = ANY(:payment_ids) AND p.status = 'pending' AND coalesce(l.state IN ('withdrawn', 'settled'), true)
    AND (NOT :is_asked OR coalesce(l.outcome, 'no_effect') = 'no_effect')
), counted AS (
  UPDATE payments p SET create_generation = p.create_generation + 1, status_detail = coalesce(a.waiting, p.status_detail),
    retries_used = p.retries_used + a.uses_retry::int, updated_at = clock_timestamp()
  FROM again a WHERE p.id = a.id AND (NOT a.uses_retry OR (p.retry AND p.retries_used < p.retry_count))
  RETURNING p.id, p.create_generation, a.operator_account_id, a.waiting
), enqueued AS (
  INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id, waiting)
  SELECT ${createKey('id', 'create_generation')}, operator_account_id, 'create_deal', id, waiting FROM counted ORDER BY id
  RETURNING account_id
)
SELECT pg_notify('carat_lane', account_id::text) FROM (SELECT DISTINCT account_id FROM enqueued) accounts`,
    { payment_ids: paymentIds, is_asked: isAsked },
  );
};

/** The same while retries are left, else the payment fails. */
export const createAgain = async (trx: Knex, paymentIds: readonly string[]): Promise<void> => {
  if (paymentIds.length === 0) return;
  await wantDealsAgain(trx, paymentIds, false);
  await transition(trx, {
    name: 'deal_failed',
    where: `p.id = ANY(:payment_ids) AND (SELECT l.outcome FROM ${lastCreate} l) = 'no_effect'`,
    bindings: { payment_ids: paymentIds },
    actor: { type: 'chain' },
    detail: 'deal_not_created',
  });
};

/**
 * Closes the settled slots of which no intent is left to judge. A deployment's call counts by its receipt, and its step looks
 * at the chain again anyway.
 */
export const closeSlots = async (trx: Knex, bindings: Bindings): Promise<void> => {
  const { rows } = await planned<{ rows: Parameters<typeof diamondCommand>[0][] }>(
    trx,
    `
WITH settled AS MATERIALIZED (
  SELECT id, receipt_status FROM tx_slots s WHERE id IN (${settledSlots}) AND NOT EXISTS (SELECT 1 FROM tx_intents i
    WHERE i.slot_id = s.id AND i.state = 'assigned' AND i.payment_id IS NOT NULL)
), closed AS (
  UPDATE tx_slots s SET state = 'confirmed', confirmed_at = clock_timestamp() FROM settled WHERE s.id = settled.id
  RETURNING s.*
), logged AS (
  INSERT INTO tx_slot_logs (slot_id, event_type, data)
  SELECT id, 'transaction_confirmed', ${placeOf('closed')} FROM closed
), calls AS (
  UPDATE tx_intents i SET state = 'settled', settled_at = clock_timestamp(),
    outcome = CASE WHEN settled.receipt_status = 1 THEN 'effective' ELSE 'no_effect' END
  FROM settled WHERE i.slot_id = settled.id AND i.state = 'assigned' RETURNING i.step_id
)
SELECT DISTINCT d.wallet_id AS "walletId", d.network_id AS "networkId", w.node_id AS "nodeId"
FROM calls JOIN deployment_steps s ON s.id = calls.step_id JOIN deployments d ON d.id = s.deployment_id
JOIN wallets w ON w.id = d.wallet_id`,
    bindings,
  );
  await insertCommands(trx, rows.map(diamondCommand));
};

/**
 * Opens the slots again whose blocks are not canonical, and their intents with them; their signed bytes are sent again.
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
  SELECT id, 'transaction_reorged', ${placeOf('unmined')} FROM unmined
)
UPDATE tx_intents i SET state = 'assigned', outcome = NULL, settled_at = NULL
FROM unmined WHERE i.slot_id = unmined.id AND i.state = 'settled'`,
    bindings,
  );
