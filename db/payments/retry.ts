import type { Knex } from 'knex';
import { wantDealsAgain } from '../intents/deals.ts';
import { addFollower } from './followers.ts';
import { transition } from './transition.ts';

/** `again`: nothing was sent since it was asked for, and nothing is changed; `refused`: there is no deal to be sent. */
export type RetryResult = 'accepted' | 'again' | 'refused';

/**
 * Accepts that the deal of a `pending` web3 payment is sent again, and lets a workflow see to it, which takes the place of
 * the one before. However often it is asked for, there are no more of them than there is news of the deal's transaction.
 */
export const requestRetry = async (
  trx: Knex.Transaction,
  { paymentId, actorId }: { readonly paymentId: string; readonly actorId: string },
): Promise<RetryResult> => {
  const bindings = { payment_id: paymentId, actor_id: actorId };
  // Locked before the look at its log: a statement that waits does not see what was written meanwhile.
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `SELECT FROM payments WHERE id = :payment_id AND status = 'pending' AND payment_method = 'web3' FOR NO KEY UPDATE`,
    bindings,
  );
  if (rows.length === 0) return 'refused';
  const moved = await transition(trx, {
    name: 'retry_requested',
    where: `p.id = :payment_id AND NOT ${isUnanswered}`,
    bindings,
    actor: { type: 'integration', id: '(:actor_id)' },
  });
  if (moved.length === 0) return 'again';
  // It has heard of this one, and ends.
  await trx('payment_followers').where({ payment_id: paymentId }).whereLike('workflow_id', '%/retry/%').delete();
  await addFollower(trx, paymentId, 'retrySend');
  return 'accepted';
};

/** SQL condition over `payments p`: the last that has happened to it is a retry, and nothing of its transactions since then. */
const isUnanswered = `EXISTS (
  SELECT 1 FROM payment_logs r WHERE r.payment_id = p.id AND r.sequence = p.sequence AND r.event_type = 'retry_requested'
    AND NOT EXISTS (SELECT 1 FROM tx_intents i JOIN tx_slot_logs l ON l.slot_id = i.slot_id
      WHERE i.payment_id = p.id AND l.created_at > r.created_at))`;

/**
 * Has the lane send what keeps the payment's deal from being created, its own transaction and those before it, again and with
 * more fees; where none is under way, wants the deal anew. Repeated calls change nothing: what was sent anew since it was
 * asked for is not marked again.
 */
export const sendAgain = async (knex: Knex, paymentId: string): Promise<void> => {
  const bindings = { payment_id: paymentId };
  await knex.transaction(async (trx) => {
    // As a lane that writes: the account before its slots.
    await trx.raw(
      `SELECT FROM signer_accounts WHERE id IN (SELECT account_id FROM tx_intents i WHERE ${liveCreate})
       ORDER BY id FOR NO KEY UPDATE`,
      bindings,
    );
    await trx.raw(
      `
WITH asked AS (
  SELECT max(created_at) AS at FROM payment_logs WHERE payment_id = :payment_id AND event_type = 'retry_requested'
), stuck AS (
  SELECT s.id FROM tx_intents i JOIN tx_slots own ON own.id = i.slot_id CROSS JOIN asked
  JOIN tx_slots s ON s.account_id = own.account_id AND s.nonce <= own.nonce AND s.state IN ('assigned', 'signed')
  WHERE ${liveCreate} AND own.state IN ('assigned', 'signed')
    AND NOT EXISTS (SELECT 1 FROM tx_attempts a WHERE a.slot_id = s.id AND a.created_at > asked.at)
  ORDER BY s.id FOR NO KEY UPDATE OF s
), marked AS (
  UPDATE tx_slots SET nudged_at = clock_timestamp() WHERE id IN (SELECT id FROM stuck)
)
SELECT pg_notify('carat_lane', i.account_id::text) FROM tx_intents i WHERE ${liveCreate}`,
      bindings,
    );
  });
  await knex.transaction(async (trx) => {
    await trx.raw('SELECT FROM payments WHERE id = :payment_id FOR NO KEY UPDATE', bindings);
    await wantDealsAgain(trx, [paymentId], true);
  });
};

/** SQL condition over `tx_intents i`. */
const liveCreate = `i.payment_id = :payment_id AND i.purpose = 'create_deal' AND i.state IN ('queued', 'assigned')`;
