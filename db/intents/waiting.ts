import type { Knex } from 'knex';
import type { WaitingDetail } from '../../domain/payment.ts';
import { planned } from '../query/prepared.ts';
import { quoted } from '../query/quoted.ts';
import { databaseNow, halfWindow, isOfferable } from './offer-windows.ts';
import { wakeDiamonds } from './steps.ts';

/** Most payments written in one transaction. */
export const PART = 1_000;

/** SQL of the status that a payment has while it waits for this intent; null for calls of deployments. */
export const waitingStatus = (intent: string): string =>
  `CASE ${intent}.purpose WHEN 'create_deal' THEN 'pending' WHEN 'cancel_deal' THEN 'canceling' END`;

/**
 * Writes the waiting reason of queued intents and shows it on the payments that wait for them, in the caller's transaction. Locks
 * payments before intents, in the order of their ids, like every transaction that touches both.
 */
export const recordWaiting = async (
  trx: Knex.Transaction,
  accountId: string,
  intentIds: readonly string[],
  detail: WaitingDetail | null,
): Promise<void> => {
  const bindings = { account_id: accountId, intent_ids: intentIds, detail };
  const { rows: waiting } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT p.id FROM payments p WHERE (p.id, p.status) IN (
       SELECT i.payment_id, ${waitingStatus('i')} FROM tx_intents i WHERE i.id = ANY(:intent_ids)
         AND i.account_id = :account_id AND i.state = 'queued' AND i.waiting IS DISTINCT FROM :detail::text)
     ORDER BY p.id FOR NO KEY UPDATE`,
    bindings,
  );
  const { rows: changed } = await trx.raw<{ rows: { step_id: string | null }[] }>(
    `UPDATE tx_intents SET waiting = :detail WHERE id = ANY(:intent_ids) AND account_id = :account_id
       AND state = 'queued' AND waiting IS DISTINCT FROM :detail::text RETURNING step_id`,
    bindings,
  );
  await wakeDiamonds(
    trx,
    changed.flatMap(({ step_id }) => step_id ?? []),
  );
  await trx.raw(
    'UPDATE payments SET status_detail = :detail, updated_at = clock_timestamp() WHERE id = ANY(:payment_ids)',
    { detail, payment_ids: waiting.map((payment) => payment.id) },
  );
};

/** Ends the wait of the creates that an update of this diamond held in the queue of an account, and wakes its lane. */
export const freeHeld = async (
  trx: Knex.Transaction,
  accountId: string,
  walletId: string,
  networkId: string,
): Promise<void> => {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT i.id FROM tx_intents i JOIN payments p ON p.id = i.payment_id
     WHERE i.account_id = :account_id AND i.state = 'queued' AND i.waiting = 'diamond_updating'
       AND p.wallet_id = :wallet_id AND p.network_id = :network_id`,
    { account_id: accountId, wallet_id: walletId, network_id: networkId },
  );
  const held = rows.map(({ id }) => id);
  await recordWaiting(trx, accountId, held, null);
  await trx.raw(`SELECT pg_notify('carat_lane', :account_id)`, { account_id: accountId });
};

/**
 * Writes `status_detail` on the payments that a condition picks, in parts. The condition is tested again once the payments are
 * locked, in a new statement: the first one does not see later commits.
 * @param from SQL from `payments p` on, with the condition, and without an order
 * @param detail SQL
 */
export const writeDetails = async (
  knex: Knex,
  { from, detail, bindings = {} }: { from: string; detail: string; bindings?: Record<string, unknown> },
): Promise<void> => {
  const writePart = async (): Promise<number> => {
    const { rows: found } = await planned<{ rows: { id: string }[] }>(
      knex,
      `SELECT p.id ${from} LIMIT ${PART}`,
      bindings,
    );
    if (found.length === 0) return 0;
    const ids = found.map(({ id }) => id);
    return knex.transaction(async (trx) => {
      await planned(trx, 'SELECT FROM payments WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE', { ids });
      const { rowCount } = await planned<{ rowCount: number }>(
        trx,
        `UPDATE payments SET status_detail = s.detail, updated_at = clock_timestamp()
         FROM (SELECT p.id, ${detail} AS detail ${from} AND p.id = ANY(:ids)) s WHERE payments.id = s.id`,
        { ...bindings, ids },
      );
      return rowCount;
    });
  };
  while ((await writePart()) === PART);
};

/** The reasons why a payment in `awaiting_payment` has no offer. Other modules show the other reasons, or alerts report them. */
const offerDetails = [
  'diamond_missing',
  'key_missing',
  'network_paused',
  'signer_revoked',
  'signing_stalled',
] as const satisfies WaitingDetail[];

/**
 * SQL condition on `payments p`: an offered payment has no offer that a page could get now, and shows no reason but one of these. That
 * is usual for a payment in `awaiting_payment` while no page is open.
 */
export const lacksOffer = `p.deal_mode = 'offered' AND NOT p.is_blocked AND (p.status = 'pending' OR p.status = 'awaiting_payment'
     AND coalesce(p.status_detail, 'key_missing') IN (${quoted(offerDetails)})
     AND (SELECT w.signed_until < least(p.expires_unix, ${databaseNow} + ${halfWindow})
       FROM offer_ends w WHERE w.payment_id = p.id))`;

/**
 * Shows the reason why no offer is signed on the offered payments of a network that lack one. Skips payments whose diamond cannot take
 * offers: they wait for their diamond.
 */
export const showOffersWait = (knex: Knex, networkId: string, detail: WaitingDetail): Promise<void> => {
  const isOfAwaiting = (offerDetails as readonly WaitingDetail[]).includes(detail);
  return writeDetails(knex, {
    from: `FROM payments p WHERE p.network_id = :network_id AND ${lacksOffer} ${isOfAwaiting ? '' : `AND p.status = 'pending'`}
      AND p.status_detail IS DISTINCT FROM :detail::text AND ${isOfferable('p')}`,
    detail: ':detail::text',
    bindings: { network_id: networkId, detail },
  });
};

/** Ends the reasons on the offered payments of a network: nothing stands in the way of their offers. */
export const clearOffersWait = (knex: Knex, networkId: string): Promise<void> =>
  writeDetails(knex, {
    from: `FROM payments p WHERE p.network_id = :network_id AND p.deal_mode = 'offered' AND p.status_detail IS NOT NULL AND NOT p.is_blocked
      AND (p.status = 'pending' OR p.status = 'awaiting_payment' AND p.status_detail IN (${quoted(offerDetails)})) AND ${isOfferable('p')}`,
    detail: 'NULL::text',
    bindings: { network_id: networkId },
  });

/** Ends the reasons why these payments in `awaiting_payment` had no offer. */
export const endOffersWait = async (trx: Knex, paymentIds: readonly string[]): Promise<void> => {
  await planned(
    trx,
    `UPDATE payments SET status_detail = NULL, updated_at = clock_timestamp()
     WHERE id = ANY(:ids) AND status = 'awaiting_payment' AND status_detail IN (${quoted(offerDetails)})`,
    { ids: paymentIds },
  );
};
