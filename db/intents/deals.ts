import type { Knex } from 'knex';
import { transitions } from '../../domain/payment.ts';
import { execute, executePlanned, planned, plannedRowsOf, quoted } from '../query/statements.ts';

/* Keys under which each intent exists once. Each counts a generation, so that an effect can be requested again. */

/** SQL of the key of a payment's create in one generation. */
const createKey = (paymentId: string, generation: string): string =>
  `'payment:' || ${paymentId} || ':create:g' || ${generation}`;

/** SQL of the key of a payment's cancel. Cancels are numbered from 1. */
const cancelKey = (paymentId: string, number: string): string =>
  `'payment:' || ${paymentId} || ':cancel:g' || ${number}`;

/** SQL of the payments by their ids. Materialized: joined directly, stale statistics make the planner scan all open payments. */
const these = 'WITH p AS MATERIALIZED (SELECT * FROM payments WHERE id = ANY(:payment_ids))';
const diamondOf = 'd.wallet_id = p.wallet_id AND d.network_id = p.network_id AND d.address = p.diamond_address';

/**
 * SQL: the mode of a wallet on a network.
 * @param wallet alias of `wallets`
 */
export const dealModeOf = (wallet: string, networkId: string): string =>
  `coalesce(${wallet}.deal_modes ->> ${networkId}::text, 'created')`;

/** SQL that shows on payments of an inactive diamond why its deployment waits. */
const showWhyDiamondWaits = `${these}
UPDATE payments SET status_detail = r.status_detail, updated_at = clock_timestamp()
FROM p JOIN diamonds d ON ${diamondOf} AND d.status <> 'active' JOIN deployments r ON r.wallet_id = d.wallet_id
  AND r.network_id = d.network_id AND r.kind = 'deploy' AND r.status = 'started'
WHERE payments.id = p.id AND p.status = 'pending' AND NOT p.is_blocked AND p.status_detail = 'diamond_missing' AND r.status_detail IS NOT NULL`;

/**
 * Queues one create intent, in the lane of its diamond, for each of these payments that is `pending`, is not offered, waits for no
 * former choice of its order and has no create yet. A payment of an inactive diamond gets no intent, so that no lane reads it, and shows
 * the reason why the deployment waits. The activation of the diamond calls this again. Repeated calls change nothing.
 */
export const insertDealIntents = (knex: Knex, paymentIds: readonly string[]): Promise<void> =>
  knex.transaction(async (trx) => {
    const bindings = { payment_ids: paymentIds };
    // An activation under way may have missed these payments. The lock waits for it; the diamond is active afterwards.
    const inactive = await plannedRowsOf(
      trx,
      bindings,
    )(`
       ${these} SELECT id FROM diamonds WHERE status <> 'active' AND id = ANY (ARRAY(
         SELECT d.id FROM p JOIN diamonds d ON ${diamondOf}))
       ORDER BY id FOR SHARE`);
    // Locked in the order of ids, so that no payment leaves `pending` before its intent is written.
    await planned(trx, 'SELECT id FROM payments WHERE id = ANY(:payment_ids) ORDER BY id FOR NO KEY UPDATE', bindings);
    if (inactive.length > 0) await trx.raw(showWhyDiamondWaits, bindings);
    await executePlanned(
      trx,
      bindings,
    )(`
${these}, wanted AS (
  SELECT p.id, d.operator_account_id FROM p JOIN diamonds d ON ${diamondOf} AND d.status = 'active'
  WHERE p.status = 'pending' AND NOT p.is_blocked AND p.payment_method = 'web3' AND p.deal_mode = 'created' AND p.create_generation = 1
), enqueued AS (
  INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id)
  SELECT ${createKey('w.id', '1')}, w.operator_account_id, 'create_deal', w.id FROM wanted w ORDER BY w.id
  ON CONFLICT (idempotency_key) DO NOTHING RETURNING account_id
)
SELECT pg_notify('carat_lane', account_id::text) FROM (SELECT DISTINCT account_id FROM enqueued) accounts`);
  });

/**
 * SQL condition on payments `p`: the payment can still expire, so its deal may still change something. Matches the index
 * `payments_open_expiry`.
 */
export const openDeal = (p: string): string =>
  `${p}.payment_method = 'web3' AND ${p}.status IN (${quoted(transitions.payment_expired.from)})`;

/**
 * SQL condition on payments `p`: the deal may be on the chain, may still get there, or was once seen there. Once the payment has left
 * `pending` and its intents were locked afterwards, false is final: a create without a slot is withdrawn by then.
 */
export const mayHaveDeal = (p: string): string => `(
    ${p}.deal_block_number IS NOT NULL OR ${p}.paid_block_number IS NOT NULL
    OR EXISTS (SELECT 1 FROM tx_intents sent WHERE sent.payment_id = ${p}.id
      AND (sent.slot_id IS NOT NULL OR sent.purpose = 'cancel_deal'))
    OR EXISTS (SELECT 1 FROM payment_logs seen WHERE seen.payment_id = ${p}.id AND seen.event_type = '${transitions.cancel_lost_race.log}'))`;

/**
 * Queues a cancel for each of these locked payments that has this status, may have a deal, and has no cancel under way. The cancel
 * queues behind the create in the lane of its diamond. An offered payment gets one only where the chain has its deal, or where the
 * merchant does not wait for the end of the revealed offer. Repeated calls change nothing.
 */
export const insertCancelIntents = async (
  trx: Knex,
  paymentIds: readonly string[],
  status: 'canceling' | 'canceled' = 'canceling',
): Promise<void> => {
  if (paymentIds.length === 0) return;
  await executePlanned(trx, { payment_ids: paymentIds, status })(`
WITH wanted AS (
  SELECT p.id, d.operator_account_id, earlier.count, last.waiting FROM payments p JOIN diamonds d ON ${diamondOf}
  CROSS JOIN LATERAL (SELECT count(*), coalesce(bool_or(i.state IN ('queued', 'assigned')), false) AS is_live
    FROM tx_intents i WHERE i.payment_id = p.id AND i.purpose = 'cancel_deal') earlier
  -- the newest by its number: ids come from a clock that may step back
  LEFT JOIN tx_intents last ON last.idempotency_key = ${cancelKey('p.id', 'earlier.count')}
  WHERE p.id = ANY(:payment_ids) AND p.status = :status AND NOT earlier.is_live AND CASE p.deal_mode
    WHEN 'created' THEN ${mayHaveDeal('p')} ELSE p.cancel_on_chain OR p.deal_block_number IS NOT NULL END
), enqueued AS (
  INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id, waiting)
  SELECT ${cancelKey('id', '(count + 1)')}, operator_account_id, 'cancel_deal', id, waiting FROM wanted ORDER BY id
  RETURNING account_id
), shown AS (
  -- the lane does not write a waiting reason that has not changed
  UPDATE payments p SET status_detail = w.waiting, updated_at = clock_timestamp() FROM wanted w
  WHERE p.id = w.id AND w.waiting IS NOT NULL AND p.status = 'canceling'
)
SELECT pg_notify('carat_lane', account_id::text) FROM (SELECT DISTINCT account_id FROM enqueued) accounts`);
};

/**
 * SQL of the create of the payment `p` in its newest generation, the only one that may be under way. Found by its key, because ids come
 * from a clock that may step back.
 */
export const lastCreate = (p: string): string => `(SELECT i.state, i.outcome, i.waiting, s.receipt_status
  FROM tx_intents i LEFT JOIN tx_slots s ON s.id = i.slot_id
  WHERE i.idempotency_key = ${createKey(`${p}.id`, `${p}.create_generation`)})`;

/**
 * Queues the deals of these pending payments again, in the present lanes of their diamonds. Skips offered payments, payments that
 * wait for a former choice of their order, and payments with a create under way. Only a create without effect uses up a retry. A create
 * that had to wait uses up none. Neither does one whose whole transaction failed, such as by lack of gas: the deal is not at fault.
 * @param isAsked true when a merchant requests it, false when the word shows no deal. A request uses up no retry, and
 *   repeats no create that had an effect
 */
export const wantDealsAgain = async (trx: Knex, paymentIds: readonly string[], isAsked: boolean): Promise<void> => {
  await execute(trx, { payment_ids: paymentIds, is_asked: isAsked })(`
WITH again AS (
  SELECT p.id, d.operator_account_id, l.waiting,
    NOT :is_asked AND coalesce(l.outcome = 'no_effect' AND l.waiting IS NULL AND l.receipt_status = 1, false) AS uses_retry
  FROM payments p
  JOIN diamonds d ON d.wallet_id = p.wallet_id AND d.network_id = p.network_id AND d.address = p.diamond_address
    AND d.status = 'active'
  LEFT JOIN LATERAL ${lastCreate('p')} l ON true
  WHERE p.id = ANY(:payment_ids) AND p.status = 'pending' AND NOT p.is_blocked AND p.deal_mode = 'created' AND coalesce(l.state IN ('withdrawn', 'settled'), true)
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
SELECT pg_notify('carat_lane', account_id::text) FROM (SELECT DISTINCT account_id FROM enqueued) accounts`);
};
