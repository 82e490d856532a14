import type { Knex } from 'knex';
import { digestOf, idOf, minuteOf, sums, type Link } from './chain.ts';

/** Class of the advisory locks of `audit_id()`, whose objects are minutes. */
const LOCK_CLASS = 7_227_273;
/** Milliseconds after which a pass ends, whatever is left. */
const PASS_MS = 4_000;

/** The end of the chain. */
interface Head {
  readonly closed: number;
  readonly last_number: number;
  readonly last_minute: number;
  readonly last_digest: Buffer;
}

const lockHead = async (trx: Knex): Promise<Head | null> => {
  const { rows } = await trx.raw<{ rows: Head[] }>(
    `SELECT closed::float8, last_number::float8, last_minute::float8, last_digest FROM audit_chain FOR UPDATE SKIP LOCKED`,
  );
  return rows[0] ?? null;
};

/** The last minute whose transactions have all ended. It was closed by a former transaction, so that none can join. */
const lastFinished = async (trx: Knex, { closed }: Head): Promise<number> => {
  const { rows } = await trx.raw<{ rows: { oldest: number | null }[] }>(
    `SELECT min(objid::bigint)::float8 AS oldest FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS} AND objsubid = 2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return Math.min(closed, (rows[0]?.oldest ?? Infinity) - 1);
};

/** Links the next minute that has entries. @returns null when none is left up to `finished` */
const linkNext = async (trx: Knex, head: Head, finished: number): Promise<Link | null> => {
  const { rows: next } = await trx.raw<{ rows: { minute: number }[] }>(
    `SELECT ${minuteOf}::float8 AS minute FROM audit_log WHERE id >= :after AND id < :end ORDER BY id LIMIT 1`,
    { after: idOf(head.last_minute + 1), end: idOf(finished + 1) },
  );
  const minute = next[0]?.minute;
  if (minute === undefined) return null;
  const { rows } = await trx.raw<{ rows: Pick<Link, 'entries' | 'entries_digest'>[] }>(
    `SELECT ${sums} FROM audit_log WHERE id >= :from AND id < :end`,
    { from: idOf(minute), end: idOf(minute + 1) },
  );
  const content = { number: head.last_number + 1, minute, ...rows[0]! };
  const link = { ...content, digest: digestOf(head.last_digest, content) };
  await trx('audit_links').insert(link);
  return link;
};

/** The newest link is the one that the chain ends with; otherwise somebody has removed it. */
const assertLast = async (trx: Knex, { last_number }: Head): Promise<void> => {
  const { rows } = await trx.raw<{ rows: { number: number | null }[] }>(
    `SELECT max(number)::float8 AS number FROM audit_links`,
  );
  const found = rows[0]?.number ?? null;
  if (found === last_number || (found === null && (await isEmpty(trx, last_number)))) return;
  throw new Error(`the audit log ends with the link ${found ?? 0} instead of ${last_number}; run carat audit verify`);
};

const isEmpty = async (trx: Knex, last: number): Promise<boolean> =>
  (await trx('audit_chain').where({ forgotten_number: last })).length > 0;

/**
 * Links finished minutes, and closes the minutes that have ended since, for the next pass. One process at a time does this; others
 * leave it to that one.
 * @returns the newest link if there is a new one, and whether there may be more
 */
export const linkMinutes = (knex: Knex): Promise<{ head: Link | null; mayBeMore: boolean }> =>
  knex.transaction(async (trx) => {
    let head = await lockHead(trx);
    if (head === null) return { head: null, mayBeMore: false };
    await assertLast(trx, head);
    const finished = await lastFinished(trx, head);
    const until = performance.now() + PASS_MS;
    let last: Link | null = null;
    let mayBeMore = true;
    while (mayBeMore && performance.now() < until) {
      const link: Link | null = await linkNext(trx, head, finished);
      mayBeMore = link !== null;
      if (link === null) break;
      last = link;
      head = { ...head, last_number: link.number, last_minute: link.minute, last_digest: link.digest };
    }
    const { last_number, last_minute, last_digest } = head;
    await trx('audit_chain').update({
      last_number,
      last_minute,
      last_digest,
      closed: trx.raw('greatest(closed, floor(extract(epoch FROM clock_timestamp()) / 60) - 1)'),
    });
    return { head: last, mayBeMore };
  });
