import type { Knex } from 'knex';
import { transitions } from '../../domain/payment.ts';
import { wantDealsAgain } from '../intents/deals.ts';
import { addFollower } from '../outbox/commands.ts';
import { execute, hasRows } from '../query/statements.ts';
import { transitionByApi } from './transition.ts';

/**
 * `again`: nothing was sent since the last retry, so nothing changes; `refused`: the payment is not a pending web3
 * payment.
 */
export type RetryResult = 'accepted' | 'again' | 'refused';

/**
 * Accepts a retry of a `pending` web3 payment and commands its workflow, which replaces that of the previous retry.
 * Until something happens to its deal's transaction, a further request is the same retry.
 */
export const requestRetry = async (
  trx: Knex.Transaction,
  { paymentId, actorId }: { readonly paymentId: string; readonly actorId: string },
): Promise<RetryResult> => {
  const bindings = { payment_id: paymentId, actor_id: actorId };
  // Locked before its log is read: a statement that waits does not see entries that were written meanwhile.
  const isPending = await hasRows(trx, { ...bindings, from: transitions.retry_requested.from })(
    `SELECT FROM payments WHERE id = :payment_id AND status = ANY(:from) AND payment_method = 'web3' FOR NO KEY UPDATE`,
  );
  if (!isPending) return 'refused';
  const moved = await transitionByApi(trx, {
    name: 'retry_requested',
    where: 'p.id = :payment_id',
    bindings,
    actor: { type: 'integration', id: '(:actor_id)' },
  });
  await wakeSigners(trx, paymentId);
  if (moved.length === 0) return 'again';
  // The workflow of the previous retry gets a signal about this one, and ends.
  await trx('payment_followers').where({ payment_id: paymentId }).whereLike('workflow_id', '%/retry/%').delete();
  await addFollower(trx, paymentId, 'retrySend');
  return 'accepted';
};

/**
 * Marks the slot of the payment's deal, and those before it in the lane, so that the lane sends them again with higher fees.
 * Where no create is under way, a new one is enqueued. Repeated calls change nothing: slots that were sent again since the
 * request are skipped.
 */
export const sendAgain = async (knex: Knex, paymentId: string): Promise<void> => {
  const bindings = { payment_id: paymentId, asked: transitions.retry_requested.log };
  await knex.transaction(async (trx) => {
    // In the order of a lane that writes: the account before its slots.
    await execute(
      trx,
      bindings,
    )(`
       SELECT FROM signer_accounts WHERE id IN (SELECT account_id FROM tx_intents i WHERE ${liveCreate})
       ORDER BY id FOR NO KEY UPDATE`);
    await execute(
      trx,
      bindings,
    )(`
WITH asked AS (
  SELECT max(created_at) AS at FROM payment_logs WHERE payment_id = :payment_id AND event_type = :asked
), stuck AS (
  SELECT s.id FROM tx_intents i JOIN tx_slots own ON own.id = i.slot_id CROSS JOIN asked
  JOIN tx_slots s ON s.account_id = own.account_id AND s.nonce <= own.nonce AND s.state IN ('assigned', 'signed')
  WHERE ${liveCreate} AND own.state IN ('assigned', 'signed')
    AND NOT EXISTS (SELECT 1 FROM tx_attempts a WHERE a.slot_id = s.id AND a.created_at > asked.at
      -- after the clock was set back, older attempts lie in the future
      AND a.created_at <= clock_timestamp())
  ORDER BY s.id FOR NO KEY UPDATE OF s
), marked AS (
  UPDATE tx_slots SET nudged_at = clock_timestamp() WHERE id IN (SELECT id FROM stuck)
)
SELECT pg_notify('carat_lane', i.account_id::text) FROM tx_intents i WHERE ${liveCreate}`);
  });
  await knex.transaction(async (trx) => {
    await trx.raw('SELECT FROM payments WHERE id = :payment_id FOR NO KEY UPDATE', bindings);
    await wantDealsAgain(trx, [paymentId], true);
  });
};

/** Wakes the signers of an offered payment. */
const wakeSigners = async (trx: Knex.Transaction, paymentId: string): Promise<void> => {
  await execute(trx, { payment_id: paymentId })(
    `SELECT pg_notify('carat_offers', network_id::text) FROM payments WHERE id = :payment_id AND deal_mode = 'offered'`,
  );
};

/** SQL condition over `tx_intents i`. */
const liveCreate = `i.payment_id = :payment_id AND i.purpose = 'create_deal' AND i.state IN ('queued', 'assigned')`;
