import type { Knex } from 'knex';
import type { ConfirmableSlot, Verdict } from '../../domain/ports/lane.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { transition } from '../payments/transition.ts';
import { createKey, intentColumns, toQueuedIntent, type IntentRow } from './intents.ts';

interface ConfirmableSlotRow {
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
  const { rows: slots } = await knex.raw<{ rows: ConfirmableSlotRow[] }>(
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

/** Judgements of intents as rows `v`. */
const verdictRows = `jsonb_to_recordset(:verdicts::jsonb) AS v (intent_id uuid, outcome text, waiting text)`;

/**
 * Closes mined slots and their intents, in the caller's transaction, and lets payments and deployments follow. Locks the
 * payments first, in the order of their ids, as every transaction that touches many.
 */
export const confirmSlots = async (
  trx: Knex.Transaction,
  accountId: string,
  slotIds: readonly string[],
  verdicts: readonly Verdict[],
): Promise<void> => {
  const bindings = {
    account_id: accountId,
    slot_ids: slotIds,
    verdicts: JSON.stringify(
      verdicts.map((verdict) => ({ intent_id: verdict.intentId, outcome: verdict.outcome, waiting: verdict.waiting })),
    ),
  };
  await trx.raw(
    `SELECT p.id FROM payments p WHERE p.id IN (SELECT i.payment_id FROM tx_intents i WHERE i.slot_id = ANY(:slot_ids))
     ORDER BY p.id FOR NO KEY UPDATE`,
    bindings,
  );
  await adoptDeals(trx, bindings);
  await closeIntents(trx, bindings);
  await failConflicts(trx, bindings);
  await createAgain(trx, bindings);
  await cancelAgain(trx, bindings);
  await tellDeployments(trx, bindings);
};

/** The word on the chain says the deal is there although no log told so: an endpoint left a log out. */
const adoptDeals = (trx: Knex.Transaction, bindings: Record<string, unknown>) =>
  trx.raw(
    `UPDATE payments p SET deal_tx_hash = s.tx_hash, deal_block_number = s.block_number, deal_block_hash = s.block_hash
     FROM tx_intents i JOIN tx_slots s ON s.id = i.slot_id JOIN ${verdictRows} ON v.intent_id = i.id
     WHERE i.payment_id = p.id AND i.slot_id = ANY(:slot_ids) AND i.purpose = 'create_deal' AND v.outcome = 'effective'
       AND p.deal_block_number IS NULL`,
    bindings,
  );

/**
 * Where a log has told the effect, the log counts; else the verdict; a deployment's call counts by its receipt, and its
 * step looks at the chain again anyway.
 */
const closeIntents = (trx: Knex.Transaction, bindings: Record<string, unknown>) =>
  trx.raw(
    `
WITH closed AS (
  UPDATE tx_slots SET state = 'confirmed', confirmed_at = clock_timestamp()
  WHERE id = ANY(:slot_ids) AND account_id = :account_id AND state = 'mined' RETURNING id, receipt_status
)
UPDATE tx_intents i SET state = 'settled', settled_at = clock_timestamp(), waiting = v.waiting, outcome = CASE
  WHEN i.purpose NOT IN ('create_deal', 'cancel_deal')
    THEN CASE WHEN closed.receipt_status = 1 THEN 'effective' ELSE 'no_effect' END
  WHEN i.purpose = 'create_deal' AND p.deal_block_number IS NOT NULL THEN 'effective'
  WHEN i.purpose = 'cancel_deal' AND (p.cancel_block_number IS NOT NULL OR p.paid_block_number IS NOT NULL) THEN 'effective'
  ELSE coalesce(v.outcome, 'no_effect') END
FROM closed, tx_intents j
LEFT JOIN payments p ON p.id = j.payment_id
LEFT JOIN ${verdictRows} ON v.intent_id = j.id
WHERE j.id = i.id AND i.slot_id = closed.id AND i.state = 'assigned'`,
    bindings,
  );

const closedCreates = (condition: string) =>
  `p.id IN (SELECT i.payment_id FROM tx_intents i WHERE i.slot_id = ANY(:slot_ids) AND i.purpose = 'create_deal'
    AND i.state = 'settled' AND ${condition})`;

const failConflicts = (trx: Knex.Transaction, bindings: Record<string, unknown>) =>
  transition(trx, {
    name: 'deal_failed',
    where: closedCreates(`i.outcome = 'conflict'`),
    bindings,
    actor: { type: 'chain' },
    detail: 'deal_conflict',
  });

/** Mined without effect: wanted again, in the lane that the diamond has now, while retries are left (a waiting state uses none up), else the payment fails. */
const createAgain = async (trx: Knex.Transaction, bindings: Record<string, unknown>): Promise<void> => {
  await trx.raw(
    `
WITH again AS (
  SELECT p.id, d.operator_account_id, i.waiting FROM payments p JOIN tx_intents i ON i.payment_id = p.id
  JOIN diamonds d ON d.network_id = p.network_id AND d.address = p.diamond_address
  WHERE i.slot_id = ANY(:slot_ids) AND i.purpose = 'create_deal' AND i.state = 'settled' AND i.outcome = 'no_effect'
    AND p.status = 'pending' AND p.deal_block_number IS NULL
    AND (i.waiting IS NOT NULL OR (p.retry AND p.retries_used < p.retry_count))
    AND NOT EXISTS (SELECT 1 FROM tx_intents o
      WHERE o.payment_id = p.id AND o.purpose = 'create_deal' AND o.state IN ('queued', 'assigned'))
), counted AS (
  UPDATE payments p SET create_generation = p.create_generation + 1, status_detail = a.waiting,
    retries_used = p.retries_used + CASE WHEN a.waiting IS NULL THEN 1 ELSE 0 END, updated_at = clock_timestamp()
  FROM again a WHERE p.id = a.id RETURNING p.id, p.create_generation, a.operator_account_id, a.waiting
)
INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id, waiting)
SELECT ${createKey('id', 'create_generation')}, operator_account_id, 'create_deal', id, waiting FROM counted`,
    bindings,
  );
  await transition(trx, {
    name: 'deal_failed',
    where: `p.deal_block_number IS NULL AND ${closedCreates(`i.outcome = 'no_effect'`)}
      AND NOT EXISTS (SELECT 1 FROM tx_intents o WHERE o.payment_id = p.id AND o.purpose = 'create_deal'
        AND o.state IN ('queued', 'assigned'))`,
    bindings,
    actor: { type: 'chain' },
    detail: 'deal_not_created',
  });
};

/** A cancel without effect is wanted until the payment is over. */
const cancelAgain = (trx: Knex.Transaction, bindings: Record<string, unknown>) =>
  trx.raw(
    `INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id, waiting)
     SELECT 'payment:' || p.id || ':cancel:after:' || i.id, d.operator_account_id, 'cancel_deal', p.id, i.waiting
     FROM tx_intents i JOIN payments p ON p.id = i.payment_id
     JOIN diamonds d ON d.network_id = p.network_id AND d.address = p.diamond_address
     WHERE i.slot_id = ANY(:slot_ids) AND i.purpose = 'cancel_deal' AND i.state = 'settled' AND i.outcome = 'no_effect'
       AND p.status = 'canceling' ON CONFLICT (idempotency_key) DO NOTHING`,
    bindings,
  );

const tellDeployments = (trx: Knex.Transaction, bindings: Record<string, unknown>) =>
  trx.raw(
    `
WITH told AS (
  INSERT INTO outbox (topic, group_key, workflow_id, payload)
  SELECT DISTINCT 'diamond', format(:diamond, d.wallet_id, d.network_id), format(:diamond, d.wallet_id, d.network_id),
    jsonb_build_object('wallet_id', d.wallet_id, 'network_id', d.network_id, 'node_id', w.node_id)
  FROM tx_intents i JOIN deployment_steps s ON s.id = i.step_id JOIN deployments d ON d.id = s.deployment_id
  JOIN wallets w ON w.id = d.wallet_id
  WHERE i.slot_id = ANY(:slot_ids) AND i.state = 'settled' RETURNING id
)
SELECT pg_notify('carat_outbox', '') FROM told LIMIT 1`,
    { ...bindings, diamond: workflowIds.diamond('%s', '%s') },
  );
