import type { Knex } from 'knex';
import { measure } from '../../runtime/measures.ts';
import { rowOf, rowsOf } from '../query/statements.ts';

/** A pass over the rows of one table that are old enough to go. */
interface Pass {
  /** Primary key of its row in `retention`. */
  readonly kind: 'alerts' | 'client_ips' | 'offers' | 'payment_waits' | 'transaction_logs';
  /** Table, and its primary key: UUIDs of version 7, whose order is that of time. */
  readonly table: string;
  readonly key: string;
  /** SQL: changes the rows of `part (id)`, all of them old. Returns a row for each changed one. */
  readonly change: string;
  /** True when rows that stay are looked at again by the next pass. False when none of them can go later. */
  readonly isRepeated: boolean;
}

/** Rows of a part, which one transaction looks at. */
const PART = 2_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** SQL: the ids of the part, as an array, so that the planner takes the index. */
const part = 'ANY (ARRAY(SELECT id FROM part))';
const longAgo = 'now() - make_interval(days => :days)';

const passes = [
  {
    kind: 'alerts',
    table: 'alerts',
    key: 'id',
    change: `DELETE FROM alerts WHERE id = ${part} AND closed_at < ${longAgo}`,
    isRepeated: true,
  },
  {
    // Nobody may pay a payment that has ended, so nothing asks when its last offer ends.
    kind: 'offers',
    table: 'offer_ends',
    key: 'payment_id',
    change: `DELETE FROM offer_ends o USING payments p
      WHERE o.payment_id = ${part} AND p.id = o.payment_id AND p.terminal_at < ${longAgo}`,
    isRepeated: true,
  },
  {
    kind: 'payment_waits',
    table: 'payment_waits',
    key: 'id',
    change: `DELETE FROM payment_waits w USING payments p
      WHERE w.id = ${part} AND p.id = w.payment_id AND p.terminal_at < ${longAgo}`,
    isRepeated: true,
  },
  {
    kind: 'transaction_logs',
    table: 'tx_slot_logs',
    key: 'id',
    change: `DELETE FROM tx_slot_logs l USING tx_slots s
      WHERE l.id = ${part} AND s.id = l.slot_id AND s.confirmed_at < ${longAgo}`,
    isRepeated: true,
  },
  {
    // Not updated_at: merchants look for changed payments by it, and this change is none of theirs.
    kind: 'client_ips',
    table: 'payments',
    key: 'id',
    change: `UPDATE payments SET client_ip = NULL WHERE id = ANY (ARRAY(
      SELECT p.id FROM payments p WHERE p.id = ${part} AND p.client_ip IS NOT NULL ORDER BY p.id FOR NO KEY UPDATE))`,
    isRepeated: false,
  },
] as const satisfies readonly Pass[];

/** Days for which each kind is kept. */
export interface KeptDays {
  readonly alerts: number;
  /** Since the creation of the payment. */
  readonly clientIps: number;
  /** Waiting reasons and transactions in the logs of payments. */
  readonly logs: number;
  readonly offers: number;
}

const daysOf = (kept: KeptDays): Readonly<Record<Pass['kind'], number>> => ({
  alerts: kept.alerts,
  client_ips: kept.clientIps,
  offers: kept.offers,
  payment_waits: kept.logs,
  transaction_logs: kept.logs,
});

/**
 * Does the next part of a pass, in one transaction with its progress: a killed process has done all of the part or nothing. A pass
 * of which another process does a part now is left to that process.
 * @returns true when there may be more
 */
const doPart = (knex: Knex, { kind, table, key, change, isRepeated }: Pass, days: number): Promise<boolean> =>
  knex.transaction(async (trx) => {
    const mine = await rowsOf<{ after: string }>(trx, { kind })(
      'SELECT after FROM retention WHERE kind = :kind FOR UPDATE SKIP LOCKED',
    );
    if (mine.length === 0) return false;
    const { last, looked, changed } = await rowOf<{ last: string | null; looked: number; changed: number }>(trx, {
      after: mine[0]!.after,
      days,
    })(`
       WITH part AS MATERIALIZED (
         SELECT t.${key} AS id FROM ${table} t WHERE t.${key} > :after AND t.${key} < (SELECT uuidv7(make_interval(days => -:days::int)))
         ORDER BY t.${key} LIMIT ${PART}
       ), changed AS (${change} RETURNING 1)
       SELECT (SELECT max(id::text) FROM part) AS last, (SELECT count(*)::int FROM part) AS looked,
         (SELECT count(*)::int FROM changed) AS changed`);
    const mayBeMore = looked === PART;
    const next = mayBeMore || !isRepeated ? last : FIRST;
    if (next !== null)
      await trx.raw('UPDATE retention SET after = :next WHERE kind = :kind AND after <> :next', { kind, next });
    measure('forgotten', { kind, rows: changed });
    return mayBeMore;
  });

/** Creates the chores that delete old rows, by name. Each does one part, and returns true when there may be more. */
export const createRetention = (knex: Knex, kept: KeptDays): Readonly<Record<string, () => Promise<boolean>>> => {
  const days = daysOf(kept);
  return Object.fromEntries(passes.map((pass) => [`old_${pass.kind}`, () => doPart(knex, pass, days[pass.kind])]));
};
