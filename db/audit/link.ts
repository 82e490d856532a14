import type { Knex } from 'knex';
import { digestOf, idOf, minuteOf, sums, type Link } from './chain.ts';

/** Class of the advisory locks of `audit_id()`, whose objects are minutes. */
const LOCK_CLASS = 7_227_273;
/** Milliseconds after which a pass ends, whatever is left. */
const PASS_MS = 4_000;

/** The end of the chain: its newest link, or the last of those that went by age. */
interface Head {
  readonly closed: number;
  readonly last_number: number;
  readonly last_minute: number;
  readonly last_digest: Buffer;
}

/**
 * Locks the end of the chain; null while somebody else has it. The newest link tells where the chain goes on, because no process can
 * change it, as it can what is noted beside.
 * @throws Error when that is another one than the noted one: somebody has removed it, or changed the note
 */
const lockHead = async (trx: Knex): Promise<Head | null> => {
  const { rowCount } = await trx.raw<{ rowCount: number }>('SELECT FROM audit_chain FOR UPDATE SKIP LOCKED');
  if (rowCount === 0) return null;
  const { rows } = await trx.raw<{ rows: [Head & { noted: number }] }>(
    `SELECT closed::float8, c.last_number::float8 AS noted, coalesce(l.number, forgotten_number)::float8 AS last_number,
       coalesce(l.minute, forgotten_minute)::float8 AS last_minute, coalesce(l.digest, forgotten_digest) AS last_digest
     FROM audit_chain c LEFT JOIN (SELECT number, minute, digest FROM audit_links ORDER BY number DESC LIMIT 1) l ON true`,
  );
  const [{ noted, ...head }] = rows;
  if (head.last_number === noted) return head;
  throw new Error(`the audit log ends with the link ${head.last_number} instead of ${noted}; run carat audit verify`);
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

/**
 * Links finished minutes, and closes the minutes that have ended since, for the next pass. One process at a time does this; others
 * leave it to that one.
 * @returns the newest link if there is a new one, and whether there may be more
 */
export const linkMinutes = (knex: Knex): Promise<{ head: Link | null; mayBeMore: boolean }> =>
  knex.transaction(async (trx) => {
    let head = await lockHead(trx);
    if (head === null) return { head: null, mayBeMore: false };
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
