import type { Knex } from 'knex';
import { startGroup, type CreatePaymentCommand } from '../../domain/ports/outbox.ts';
import { activeDiamond } from '../intents/lost-time.ts';
import { nextEnd } from '../intents/offer-windows.ts';
import { startDelay } from '../outbox/start-delay.ts';
import { planned } from '../query/prepared.ts';
import { lockCheckouts } from './lock.ts';
import { moveCheckouts } from './transition.ts';

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
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM payments WHERE checkout_id = ANY(:ids) AND is_blocked AND terminal_at IS NULL ORDER BY id',
    { ids: completed },
  );
  return rows.map(({ id }) => id);
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
  const { rows } = await planned<{ rows: ReleasedRow[] }>(
    trx,
    `UPDATE payments p SET is_blocked = false, updated_at = clock_timestamp(),
       status_detail = CASE WHEN p.status <> 'pending' THEN p.status_detail WHEN ${activeDiamond('p')} THEN NULL ELSE 'diamond_missing' END
     -- after a restore, the chain may have the deal of one that went on in the lost time
     WHERE p.checkout_id = ANY(:ids) AND p.is_blocked AND p.terminal_at IS NULL AND p.status <> 'canceling' AND NOT EXISTS (
       SELECT 1 FROM payments other WHERE other.checkout_id = p.checkout_id AND other.id <> p.id
         AND (other.terminal_at IS NULL OR other.status = 'completed'))
     RETURNING p.id, p.node_id, p.wallet_id, p.network_id, p.expires_at`,
    { ids: checkoutIds },
  );
  if (rows.length === 0) return;
  const commands = rows.map((row): CreatePaymentCommand => ({
    payment_id: row.id,
    node_id: row.node_id,
    wallet_id: row.wallet_id,
    network_id: row.network_id,
    method: 'web3',
    expires_at: row.expires_at.toISOString(),
  }));
  await planned(
    trx,
    `
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
  WHERE g.id = given.id AND g.deal_mode = 'offered') FROM given`,
    {
      given: JSON.stringify(
        commands.map((command) => ({
          id: command.payment_id,
          group_key: startGroup(command.network_id, 'web3'),
          command,
        })),
      ),
    },
  );
};
