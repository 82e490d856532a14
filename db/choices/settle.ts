import type { Knex } from 'knex';
import {
  checkoutTransitions,
  isCheckoutOver,
  type CheckoutTransition,
  type CheckoutTransitionName,
} from '../../domain/checkouts/checkout.ts';
import { startGroup, type CreatePaymentCommand } from '../../domain/ports/outbox.ts';
import { activeDiamond, nextEnd } from '../intents/conditions.ts';
import { startDelay } from '../outbox/commands.ts';
import { executePlanned, idsOf, plannedRowsOf } from '../query/statements.ts';
import { checkoutEventStatements, wakeSender } from '../webhooks/events.ts';
import { checkoutGuards } from './guards.ts';

/**
 * Locks payments, and with them the open payments of the same checkouts, because the end of one payment of a checkout moves another. In
 * the order of the ids, as everywhere; the checkouts are locked after their payments.
 */
export const lockWithCheckouts = async (trx: Knex, paymentIds: readonly string[]): Promise<void> => {
  await executePlanned(trx, { payment_ids: paymentIds })(`
     SELECT id FROM payments WHERE id = ANY(:payment_ids) OR id = ANY (ARRAY(
       SELECT p.id FROM payments p WHERE p.terminal_at IS NULL AND p.checkout_id = ANY (ARRAY(
         SELECT checkout_id FROM payments WHERE id = ANY(:payment_ids) AND checkout_id IS NOT NULL))))
     ORDER BY id FOR NO KEY UPDATE`);
};

/** Locks checkouts in the order of their ids. */
export const lockCheckouts = async (trx: Knex, checkoutIds: readonly string[]): Promise<void> => {
  await executePlanned(trx, { ids: checkoutIds })(
    'SELECT id FROM checkouts WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE',
  );
};

/**
 * Moves every one of these locked checkouts that fits, in one statement: the guarded update, and the webhook events. The only writer of
 * `checkouts.status`. Run it inside the transaction of its cause.
 * @param set more assignments, SQL over `c`
 * @returns ids of the checkouts that moved
 */
export const moveCheckouts = async (
  trx: Knex,
  name: CheckoutTransitionName,
  checkoutIds: readonly string[],
  set?: string,
): Promise<string[]> => {
  const { from, to, guard, webhook }: CheckoutTransition = checkoutTransitions[name];
  const rows = await plannedRowsOf<{ id: string }>(trx, {
    ids: checkoutIds,
    from_statuses: from,
    to_status: to,
    is_over: isCheckoutOver(to),
  })(`
WITH moved AS (
  UPDATE checkouts c SET status = :to_status, sequence = c.sequence + 1, updated_at = clock_timestamp(),
    terminal_at = CASE WHEN :is_over THEN clock_timestamp() END ${set === undefined ? '' : `, ${set}`}
  WHERE c.id = ANY(:ids) AND c.status = ANY(:from_statuses) ${guard === null ? '' : `AND (${checkoutGuards[guard].sql})`}
  RETURNING c.*
)${webhook === null ? '' : `, ${checkoutEventStatements('moved', webhook)}`}
SELECT id ${webhook === null ? '' : `, ${wakeSender}`} FROM moved`);
  return rows.map(({ id }) => id);
};

/**
 * Draws the consequences of ended payments for their checkouts, in the transaction that ends the payments: a checkout is completed,
 * canceled, expired or open again, and a choice that waited for the end of former ones goes on once all of them have ended unpaid.
 * Repeated calls change nothing.
 * @returns ids of the payments that their checkouts no longer need, for the caller to cancel
 */
export const settleCheckouts = async (trx: Knex, checkoutIds: readonly string[]): Promise<string[]> => {
  await lockCheckouts(trx, checkoutIds);
  const completed = await moveCheckouts(trx, 'checkout_completed', checkoutIds);
  for (const name of ['checkout_canceled', 'checkout_expired', 'choice_ended'] as const)
    await moveCheckouts(trx, name, checkoutIds);
  await release(trx, checkoutIds);
  if (completed.length === 0) return [];
  return idsOf(trx, { ids: completed })(
    'SELECT id FROM payments WHERE checkout_id = ANY(:ids) AND is_blocked AND terminal_at IS NULL ORDER BY id',
  );
};

interface ReleasedRow {
  readonly id: string;
  readonly node_id: string;
  readonly wallet_id: string;
  readonly network_id: string;
  readonly expires_at: Date;
}

/**
 * Lets the choices of these checkouts go on that wait for no open payment any more: their deals may be created or offered. The unique
 * index `payments_one_payable` refuses one beside an open payment of the same checkout.
 */
const release = async (trx: Knex, checkoutIds: readonly string[]): Promise<void> => {
  const rows = await plannedRowsOf<ReleasedRow>(trx, { ids: checkoutIds })(`
     UPDATE payments p SET is_blocked = false, updated_at = clock_timestamp(),
       status_detail = CASE WHEN p.status <> 'pending' THEN p.status_detail WHEN ${activeDiamond('p')} THEN NULL ELSE 'diamond_missing' END
     -- after a restore, the chain may have the deal of one that went on in the lost time
     WHERE p.checkout_id = ANY(:ids) AND p.is_blocked AND p.terminal_at IS NULL AND p.status <> 'canceling' AND NOT EXISTS (
       SELECT 1 FROM payments other WHERE other.checkout_id = p.checkout_id AND other.id <> p.id
         AND (other.terminal_at IS NULL OR other.status = 'completed'))
     RETURNING p.id, p.node_id, p.wallet_id, p.network_id, p.expires_at`);
  if (rows.length === 0) return;
  const commands = rows.map((row): CreatePaymentCommand => ({
    payment_id: row.id,
    node_id: row.node_id,
    wallet_id: row.wallet_id,
    network_id: row.network_id,
    method: 'web3',
    expires_at: row.expires_at.toISOString(),
  }));
  await executePlanned(trx, {
    given: JSON.stringify(
      commands.map((command) => ({
        id: command.payment_id,
        group_key: startGroup(command.network_id, 'web3'),
        command,
      })),
    ),
  })(`
WITH given AS MATERIALIZED (
  SELECT p.*, g.command, g.group_key FROM json_to_recordset(:given::json) AS g (id uuid, group_key text, command jsonb)
  JOIN payments p ON p.id = g.id
), ends AS (
  INSERT INTO offer_ends (payment_id, network_id, wanted_until)
  SELECT id, network_id, least(expires_unix, ${nextEnd}) FROM given WHERE deal_mode = 'offered'
  ON CONFLICT (payment_id) DO UPDATE SET wanted_until = greatest(offer_ends.wanted_until, excluded.wanted_until)
), command AS (
  INSERT INTO outbox (topic, group_key, payment_id, payload, next_attempt_at)
  SELECT 'create_payment', group_key, id, command, clock_timestamp() + ${startDelay} FROM given
)
SELECT pg_notify('carat_outbox', ''), (SELECT pg_notify('carat_offers', g.network_id::text) FROM given g
  WHERE g.id = given.id AND g.deal_mode = 'offered') FROM given`);
};
