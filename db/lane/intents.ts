import type { Knex } from 'knex';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { Aside, CallIntent, DealIntent, QueuedIntent } from '../../domain/ports/lane.ts';
import { wakeDiamonds } from './steps.ts';
import { planned } from '../query/prepared.ts';

/** A row of `tx_intents i` with what it needs of its payment `p`. */
interface IntentRow {
  id: string;
  purpose: DealIntent['purpose'] | CallIntent['purpose'];
  payment_id: string | null;
  diamond_address: string | null;
  deal_id: string | null;
  terms_hash: string | null;
  is_held: boolean;
  to_address: string | null;
  data: Buffer | null;
}

/** SQL condition: a create that waits until its diamond is cut. Of the few diamonds that are, there is one look. */
const isHeld = `coalesce(i.purpose = 'create_deal' AND (p.network_id, p.diamond_address) IN (
  SELECT network_id, address FROM diamonds WHERE updating), false)`;

/** The columns of `IntentRow`, of `tx_intents i` left-joined with `payments p`. */
const intentColumns = `i.id, i.purpose, i.payment_id, i.to_address, i.data, p.diamond_address, p.deal_id, p.terms_hash,
  ${isHeld} AS is_held`;

/** What a lane works with. */
const toQueuedIntent = (row: IntentRow): QueuedIntent => {
  if (row.purpose === 'create_deal' || row.purpose === 'cancel_deal') {
    if (row.payment_id === null || row.diamond_address === null || row.deal_id === null || row.terms_hash === null) {
      throw new Error(`Intent ${row.id} has no deal`);
    }
    return {
      kind: 'deal',
      id: row.id,
      purpose: row.purpose,
      paymentId: row.payment_id,
      diamond: row.diamond_address,
      dealId: BigInt(row.deal_id),
      termsHash: row.terms_hash,
      isHeld: row.is_held,
    };
  }
  if (row.to_address === null || row.data === null) throw new Error(`Intent ${row.id} has no call`);
  return { kind: 'call', id: row.id, purpose: row.purpose, to: row.to_address, data: `0x${row.data.toString('hex')}` };
};

/** SQL of the key under which a payment's deal is wanted once in each generation. */
export const createKey = (paymentId: string, generation: string): string =>
  `'payment:' || ${paymentId} || ':create:g' || ${generation}`;

/** The same of its cancels, which are counted. */
export const cancelKey = (paymentId: string, number: string): string =>
  `'payment:' || ${paymentId} || ':cancel:g' || ${number}`;

const queuedOf = (purpose: string): string =>
  `SELECT ${intentColumns} FROM tx_intents i LEFT JOIN payments p ON p.id = i.payment_id
   WHERE i.account_id = :account_id AND i.state = 'queued' AND ${purpose} AND (coalesce(i.waiting NOT IN ('diamond_missing', 'simulation_failed'), true)
     OR p.diamond_address IS NULL OR p.diamond_address <> ALL(:diamonds) OR i.id = ANY(:probes))
     AND (i.waiting IS DISTINCT FROM 'diamond_updating' OR NOT ${isHeld})
   ORDER BY i.id LIMIT :limit`;

/**
 * Queued intents of an account, cancels first, then oldest first. Two walks along an index, each of which ends at the
 * limit, however much is queued. Locks nothing: `assignSlots` looks again.
 */
export const loadQueued = async (
  knex: Knex,
  accountId: string,
  limit: number,
  aside: Aside = { diamonds: [], probes: [] },
): Promise<QueuedIntent[]> => {
  const { rows } = await planned<{ rows: IntentRow[] }>(
    knex,
    `SELECT * FROM (SELECT 0 AS turn, * FROM (${queuedOf(`i.purpose = 'cancel_deal'`)}) cancels
       UNION ALL SELECT 1 AS turn, * FROM (${queuedOf(`i.purpose <> 'cancel_deal'`)}) others) queued
     ORDER BY turn, id LIMIT :limit`,
    { account_id: accountId, limit, ...aside },
  );
  return rows.map(toQueuedIntent);
};

/** Closes queued calls of deployments whose effect is on the chain already, in the caller's transaction. */
export const closeSatisfied = async (
  trx: Knex.Transaction,
  accountId: string,
  intentIds: readonly string[],
): Promise<void> => {
  await trx.raw(
    `UPDATE tx_intents SET state = 'settled', outcome = 'effective', settled_at = now(), waiting = NULL
     WHERE account_id = :account_id AND state = 'queued' AND step_id IS NOT NULL AND id = ANY(:intent_ids)`,
    { account_id: accountId, intent_ids: intentIds },
  );
};

/** SQL of the status of a payment that waits for this intent; null where none does. */
export const waitingStatus = (intent: string): string =>
  `CASE ${intent}.purpose WHEN 'create_deal' THEN 'pending' WHEN 'cancel_deal' THEN 'canceling' END`;

/**
 * Writes why queued intents wait and shows it on the payments that wait for them, in the caller's transaction. Locks payments
 * before intents, in the order of their ids, as every transaction that touches both.
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
