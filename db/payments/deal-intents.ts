import type { Knex } from 'knex';
import { cancelKey, createKey } from '../lane/intents.ts';
import { planned } from '../query/prepared.ts';

/** The payments by their ids: joined at once, few rows in the statistics make it a walk through all that is open. */
const these = 'WITH p AS MATERIALIZED (SELECT * FROM payments WHERE id = ANY(:payment_ids))';
const diamondOf = 'd.wallet_id = p.wallet_id AND d.network_id = p.network_id AND d.address = p.diamond_address';

/** SQL: the payments whose diamond is not active yet say what its deployment waits for. */
const showWhyDiamondWaits = `${these}
UPDATE payments SET status_detail = r.status_detail, updated_at = clock_timestamp()
FROM p JOIN diamonds d ON ${diamondOf} AND d.status <> 'active' JOIN deployments r ON r.wallet_id = d.wallet_id
  AND r.network_id = d.network_id AND r.kind = 'deploy' AND r.status = 'started'
WHERE payments.id = p.id AND p.status = 'pending' AND p.status_detail = 'diamond_missing' AND r.status_detail IS NOT NULL`;

/**
 * Wants the deals of these payments on the chain: one create intent for each that is `pending` and has none, in the lane
 * of its diamond. A payment whose diamond is not active yet says what that waits for, and is left for its activation, which
 * calls this again, so that no lane has to look at what only waits. Repeated calls change nothing.
 */
export const insertDealIntents = (knex: Knex, paymentIds: readonly string[]): Promise<void> =>
  knex.transaction(async (trx) => {
    const bindings = { payment_ids: paymentIds };
    // An activation under way has perhaps not seen these payments: it is waited for, and the diamond is active then.
    const { rows: inactive } = await planned<{ rows: unknown[] }>(
      trx,
      `${these} SELECT id FROM diamonds WHERE status <> 'active' AND id = ANY (ARRAY(
         SELECT d.id FROM p JOIN diamonds d ON ${diamondOf}))
       ORDER BY id FOR SHARE`,
      bindings,
    );
    // Locked in one order, so that no payment leaves `pending` between this look and its intent.
    await planned(trx, 'SELECT id FROM payments WHERE id = ANY(:payment_ids) ORDER BY id FOR NO KEY UPDATE', bindings);
    if (inactive.length > 0) await trx.raw(showWhyDiamondWaits, bindings);
    await planned(
      trx,
      `
${these}, wanted AS (
  SELECT p.id, d.operator_account_id FROM p JOIN diamonds d ON ${diamondOf} AND d.status = 'active'
  WHERE p.status = 'pending' AND p.payment_method = 'web3' AND p.create_generation = 1
), enqueued AS (
  INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id)
  SELECT ${createKey('w.id', '1')}, w.operator_account_id, 'create_deal', w.id FROM wanted w ORDER BY w.id
  ON CONFLICT (idempotency_key) DO NOTHING RETURNING account_id
)
SELECT pg_notify('carat_lane', account_id::text) FROM (SELECT DISTINCT account_id FROM enqueued) accounts`,
      bindings,
    );
  });

/**
 * SQL condition: the deal may be on the chain, or may still get there, or was thought to. False is for good once the payment has left `pending`
 * and its intents were locked after that: a create that was in no slot by then was withdrawn.
 * @param alias of `payments`
 */
export const mayHaveDeal = (alias: string): string =>
  `(${alias}.deal_block_number IS NOT NULL OR ${alias}.paid_block_number IS NOT NULL
    OR EXISTS (SELECT 1 FROM tx_intents sent WHERE sent.payment_id = ${alias}.id
      AND (sent.slot_id IS NOT NULL OR sent.purpose = 'cancel_deal'))
    OR EXISTS (SELECT 1 FROM payment_logs seen WHERE seen.payment_id = ${alias}.id AND seen.event_type = 'cancel_lost_race'))`;

/**
 * Wants a cancel of these payments, which are locked: one of each that has this status, may have a deal, and has no cancel
 * under way. It queues behind the create in the lane of its diamond. Repeated calls change nothing.
 */
export const insertCancelIntents = async (
  trx: Knex,
  paymentIds: readonly string[],
  status: 'canceling' | 'canceled' = 'canceling',
): Promise<void> => {
  if (paymentIds.length === 0) return;
  await planned(
    trx,
    `
WITH wanted AS (
  SELECT p.id, d.operator_account_id, earlier.count, last.waiting FROM payments p JOIN diamonds d ON ${diamondOf}
  CROSS JOIN LATERAL (SELECT count(*), coalesce(bool_or(i.state IN ('queued', 'assigned')), false) AS is_live
    FROM tx_intents i WHERE i.payment_id = p.id AND i.purpose = 'cancel_deal') earlier
  -- the newest by its number: ids come from a clock that may step back
  LEFT JOIN tx_intents last ON last.idempotency_key = ${cancelKey('p.id', 'earlier.count')}
  WHERE p.id = ANY(:payment_ids) AND p.status = :status AND NOT earlier.is_live AND ${mayHaveDeal('p')}
), enqueued AS (
  INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id, waiting)
  SELECT ${cancelKey('id', '(count + 1)')}, operator_account_id, 'cancel_deal', id, waiting FROM wanted ORDER BY id
  RETURNING account_id
), shown AS (
  -- what it waits for is no news to the lane
  UPDATE payments p SET status_detail = w.waiting, updated_at = clock_timestamp() FROM wanted w
  WHERE p.id = w.id AND w.waiting IS NOT NULL AND p.status = 'canceling'
)
SELECT pg_notify('carat_lane', account_id::text) FROM (SELECT DISTINCT account_id FROM enqueued) accounts`,
    { payment_ids: paymentIds, status },
  );
};
