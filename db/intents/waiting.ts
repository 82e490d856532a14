import type { Knex } from 'knex';
import { diamondCommand, insertCommands } from '../outbox/commands.ts';
import { reasonOrder } from '../../domain/alerts/waiting.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import { execute, executePlanned, idsOf, planned, plannedRowsOf, quoted, rowsOf } from '../query/statements.ts';
import { databaseNow, halfWindow, isOfferable } from './conditions.ts';

/**
 * Wakes the workflows of the diamonds whose deployment steps own these intents, because the waiting reason has changed. Runs in the
 * caller's transaction.
 */
export const wakeDiamonds = async (trx: Knex.Transaction, stepIds: readonly string[]): Promise<void> => {
  if (stepIds.length === 0) return;
  const rows = await rowsOf<Parameters<typeof diamondCommand>[0]>(trx, { step_ids: stepIds })(`
     SELECT DISTINCT d.wallet_id AS "walletId", d.network_id AS "networkId", w.node_id AS "nodeId"
     FROM deployment_steps s JOIN deployments d ON d.id = s.deployment_id JOIN wallets w ON w.id = d.wallet_id
     WHERE s.id = ANY(:step_ids) AND d.status = 'started'`);
  await insertCommands(trx, rows.map(diamondCommand));
};

/** Most payments written in one transaction. */
export const PART = 1_000;

const order = `'{${reasonOrder.join()}}'::text[]`;

/**
 * SQL: a payment or call that shows one reason shows another one from now on, because it has none or a later one in `reasonOrder`.
 * @param shown SQL of a text that may be null
 * @param reason SQL of a text
 */
export const mayReplace = (shown: string, reason: string): string =>
  `coalesce(array_position(${order}, ${reason}) < array_position(${order}, ${shown}), true)`;

/** SQL of the status that a payment has while it waits for this intent; null for calls of deployments. */
export const waitingStatus = (intent: string): string =>
  `CASE ${intent}.purpose WHEN 'create_deal' THEN 'pending' WHEN 'cancel_deal' THEN 'canceling' END`;

/**
 * Writes the waiting reason of queued intents and shows it on the payments that wait for them, in the caller's transaction: only their lane
 * knows what they wait for. Locks payments before intents, in the order of their ids, like every transaction that touches both.
 */
export const recordWaiting = async (
  trx: Knex.Transaction,
  accountId: string,
  intentIds: readonly string[],
  detail: WaitingDetail | null,
): Promise<void> => {
  const bindings = { account_id: accountId, intent_ids: intentIds, detail };
  const waiting = await rowsOf<{ id: string }>(
    trx,
    bindings,
  )(`SELECT p.id FROM payments p WHERE (p.id, p.status) IN (
       SELECT i.payment_id, ${waitingStatus('i')} FROM tx_intents i WHERE i.id = ANY(:intent_ids)
         AND i.account_id = :account_id AND i.state = 'queued' AND i.waiting IS DISTINCT FROM :detail::text)
     ORDER BY p.id FOR NO KEY UPDATE`);
  const changed = await rowsOf<{ step_id: string | null }>(
    trx,
    bindings,
  )(`
       UPDATE tx_intents SET waiting = :detail WHERE id = ANY(:intent_ids) AND account_id = :account_id
       AND state = 'queued' AND waiting IS DISTINCT FROM :detail::text RETURNING step_id`);
  await wakeDiamonds(
    trx,
    changed.flatMap(({ step_id }) => step_id ?? []),
  );
  await execute(trx, { detail, payment_ids: waiting.map((payment) => payment.id) })(
    'UPDATE payments SET status_detail = :detail, updated_at = clock_timestamp() WHERE id = ANY(:payment_ids)',
  );
};

/** Ends the wait of the creates that an update of this diamond held in the queue of an account, and wakes its lane. */
export const freeHeld = async (
  trx: Knex.Transaction,
  accountId: string,
  walletId: string,
  networkId: string,
): Promise<void> => {
  const held = await idsOf(trx, { account_id: accountId, wallet_id: walletId, network_id: networkId })(`
     SELECT i.id FROM tx_intents i JOIN payments p ON p.id = i.payment_id
     WHERE i.account_id = :account_id AND i.state = 'queued' AND i.waiting = 'diamond_updating'
       AND p.wallet_id = :wallet_id AND p.network_id = :network_id`);
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
    const found = await plannedRowsOf<{ id: string }>(knex, bindings)(`SELECT p.id ${from} LIMIT ${PART}`);
    if (found.length === 0) return 0;
    const ids = found.map(({ id }) => id);
    return knex.transaction(async (trx) => {
      await planned(trx, 'SELECT FROM payments WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE', { ids });
      return executePlanned(trx, { ...bindings, ids })(`
         UPDATE payments SET status_detail = s.detail, updated_at = clock_timestamp()
         FROM (SELECT p.id, ${detail} AS detail ${from} AND p.id = ANY(:ids)) s WHERE payments.id = s.id`);
    });
  };
  while ((await writePart()) === PART);
};

/** The reasons that a payment in `awaiting_payment` shows because it has no offer. It may show others because of its words. */
const offerDetails = [
  'diamond_missing',
  'key_missing',
  'network_paused',
  'signer_revoked',
  'signing_stalled',
] as const satisfies WaitingDetail[];

/**
 * SQL condition on `payments p`: an offered payment has no offer that a page could get now. That is usual for a payment in
 * `awaiting_payment` while no page is open.
 */
export const lacksOffer = `p.deal_mode = 'offered' AND NOT p.is_blocked AND (p.status = 'pending' OR p.status = 'awaiting_payment'
     AND (SELECT w.signed_until < least(p.expires_unix, ${databaseNow} + ${halfWindow})
       FROM offer_ends w WHERE w.payment_id = p.id))`;

/**
 * Shows the reason why no offer is signed on the offered payments of a network that lack one. One in `awaiting_payment` may wait for something else
 * as well. Skips payments whose diamond cannot take offers: they wait for their diamond.
 */
export const showOffersWait = (knex: Knex, networkId: string, detail: WaitingDetail): Promise<void> => {
  const isOfAwaiting = (offerDetails as readonly WaitingDetail[]).includes(detail);
  return writeDetails(knex, {
    from: `FROM payments p WHERE p.network_id = :network_id AND ${lacksOffer} AND (p.status = 'pending'
        ${isOfAwaiting ? `OR p.status_detail IN (${quoted(offerDetails)}) OR ${mayReplace('p.status_detail', ':detail::text')}` : ''})
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
  await executePlanned(trx, { ids: paymentIds })(`
     UPDATE payments SET status_detail = NULL, updated_at = clock_timestamp()
     WHERE id = ANY(:ids) AND status = 'awaiting_payment' AND status_detail IN (${quoted(offerDetails)})`);
};
