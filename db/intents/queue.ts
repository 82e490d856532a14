import type { Knex } from 'knex';
import type { Aside, CallIntent, DealIntent, QueuedIntent } from '../../domain/ports/lane.ts';
import { execute, plannedRowsOf } from '../query/statements.ts';

/** A row of `tx_intents i` with the columns that it needs of its payment `p`. */
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

/**
 * SQL condition: a create that waits until its diamond is cut. The few updating diamonds are read once per statement.
 */
const isHeld = `coalesce(i.purpose = 'create_deal' AND (p.network_id, p.diamond_address) IN (
  SELECT network_id, address FROM diamonds WHERE updating), false)`;

/** The columns of `IntentRow`, of `tx_intents i` left-joined with `payments p`. */
const intentColumns = `i.id, i.purpose, i.payment_id, i.to_address, i.data, p.diamond_address, p.deal_id, p.terms_hash,
  ${isHeld} AS is_held`;

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

const queuedOf = (purpose: string): string =>
  `SELECT ${intentColumns} FROM tx_intents i LEFT JOIN payments p ON p.id = i.payment_id
   WHERE i.account_id = :account_id AND i.state = 'queued' AND ${purpose} AND (coalesce(i.waiting NOT IN ('diamond_missing', 'simulation_failed'), true)
     OR p.diamond_address IS NULL OR p.diamond_address <> ALL(:diamonds) OR i.id = ANY(:probes))
     AND (i.waiting IS DISTINCT FROM 'diamond_updating' OR NOT ${isHeld})
   ORDER BY i.id LIMIT :limit`;

/**
 * Queued intents of an account: cancels first, then oldest first. Two index scans, each of which ends at the limit
 * regardless of the length of the queue. Locks nothing: `assignSlots` checks again.
 */
export const loadQueued = async (
  knex: Knex,
  accountId: string,
  limit: number,
  aside: Aside = { diamonds: [], probes: [] },
): Promise<QueuedIntent[]> => {
  const rows = await plannedRowsOf<IntentRow>(knex, { account_id: accountId, limit, ...aside })(`
     SELECT * FROM (SELECT 0 AS turn, * FROM (${queuedOf(`i.purpose = 'cancel_deal'`)}) cancels
       UNION ALL SELECT 1 AS turn, * FROM (${queuedOf(`i.purpose <> 'cancel_deal'`)}) others) queued
     ORDER BY turn, id LIMIT :limit`);
  return rows.map(toQueuedIntent);
};

/** Closes queued calls of deployments whose effect is already on the chain, in the caller's transaction. */
export const closeSatisfied = async (
  trx: Knex.Transaction,
  accountId: string,
  intentIds: readonly string[],
): Promise<void> => {
  await execute(trx, { account_id: accountId, intent_ids: intentIds })(`
     UPDATE tx_intents SET state = 'settled', outcome = 'effective', settled_at = now(), waiting = NULL
     WHERE account_id = :account_id AND state = 'queued' AND step_id IS NOT NULL AND id = ANY(:intent_ids)`);
};
