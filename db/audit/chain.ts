import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { execute, rowIf, rowOf, rowsOf } from '../query/statements.ts';

/** A link of the chain: the entries of one minute of the audit log. Minutes are counted since 1970. */
export interface Link {
  readonly number: number;
  readonly minute: number;
  readonly entries: number;
  /** Over the digests of the entries, in the order of their ids. */
  readonly entries_digest: Buffer;
  readonly digest: Buffer;
}

const whole = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};

/** The digest of a link, which follows the one with the digest `previous`. */
export const digestOfLink = (
  previous: Buffer,
  { number, minute, entries, entries_digest }: Omit<Link, 'digest'>,
): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([previous, whole(number), whole(minute), whole(entries), entries_digest]))
    .digest();

/** The smallest id of a minute. */
export const idOf = (minute: number): string => {
  const hex = (minute * 60_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/** SQL: the minute of an entry, from its id. */
export const minuteOf = `(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 60000)`;

/**
 * SQL: an entry's `before` or `after` without personal data. Of a member, only the named fields count, so that a later version with
 * more fields gets the same digest.
 */
const impersonal = (column: string): string => `CASE WHEN action LIKE 'member.%' THEN
  jsonb_build_array(${column} -> 'id', ${column} -> 'node_id', ${column} -> 'created_at', ${column} -> 'updated_at') ELSE ${column} END`;

/**
 * SQL aggregates over entries of one minute: their number and digest. The address is personal, too, so it is no part of a digest.
 * Times are numbers, because the text of a time depends on the session.
 */
export const sums = `count(*)::int AS entries, sha256(string_agg(sha256(convert_to(jsonb_build_array(id, node_id, actor_id, actor_node_id,
  action, resource_id, ${impersonal('before')}, ${impersonal('after')}, request_id,
  (extract(epoch FROM created_at) * 1000000)::bigint)::text, 'UTF8')), ''::bytea ORDER BY id)) AS entries_digest`;

/** The database refuses links from an older snapshot, so the default of the role does not count. */
const PRESENT = { isolationLevel: 'read committed' } as const;

/** Milliseconds after which a pass ends, even if minutes are left. */
const PASS_MS = 4_000;

/**
 * Locks the end of the chain; false while somebody else has it.
 * @throws Error when the newest link is older than the one that was noted: somebody has removed it, or changed the note
 */
const lockEnd = async (trx: Knex): Promise<boolean> => {
  const rowCount = await execute(trx)('SELECT FROM audit_chain FOR UPDATE SKIP LOCKED');
  if (rowCount === 0) return false;
  const { found, noted } = await rowOf<{ found: number; noted: number }>(trx)(
    `SELECT coalesce((SELECT max(number) FROM audit_links), forgotten_number)::float8 AS found, last_number::float8 AS noted FROM audit_chain`,
  );
  if (found >= noted) return true;
  throw new Error(`the audit log ends with the link ${found} instead of ${noted}; run carat audit verify`);
};

/** Links the next finished minute that has entries, as the database computes it. @returns null when none is left */
const linkNext = (trx: Knex): Promise<Link | null> =>
  rowIf<Link>(trx)(
    `INSERT INTO audit_links DEFAULT VALUES RETURNING number::float8, minute::float8, entries, entries_digest, digest`,
  );

/** Closes the minutes that have ended, for a later transaction: a minute is linked once nobody can join it. Notes the newest link. */
const closeMinutes = (trx: Knex): Knex.Raw =>
  trx.raw(`UPDATE audit_chain SET closed = greatest(closed, floor(extract(epoch FROM clock_timestamp()) / 60) - 1),
      last_number = coalesce(newest.number, last_number), last_minute = coalesce(newest.minute, last_minute),
      last_digest = coalesce(newest.digest, last_digest)
    FROM (SELECT) one LEFT JOIN (SELECT number, minute, digest FROM audit_links ORDER BY number DESC LIMIT 1) newest ON true`);

/**
 * Links finished minutes, and closes the minutes that have ended since, for the next pass. One process at a time does this; others
 * leave it to that one.
 * @returns the newest link if there is a new one, and whether there may be more
 */
export const linkMinutes = (knex: Knex): Promise<{ head: Link | null; mayBeMore: boolean }> =>
  knex.transaction(async (trx) => {
    if (!(await lockEnd(trx))) return { head: null, mayBeMore: false };
    const until = performance.now() + PASS_MS;
    let head: Link | null = null;
    let mayBeMore = true;
    while (mayBeMore && performance.now() < until) {
      const link = await linkNext(trx);
      mayBeMore = link !== null;
      head = link ?? head;
    }
    await closeMinutes(trx);
    return { head, mayBeMore };
  }, PRESENT);

/** Links of a part. */
const PART = 200;

interface LastLink {
  readonly number: number;
  readonly minute: number;
  readonly digest: Buffer;
}

/**
 * Deletes the oldest minutes of the audit log that are older than so many days, with their links, and notes where the chain begins
 * now. A part is one transaction. Needs the role of the database's owner.
 * @returns the number of deleted entries
 */
export const forgetEntries = async (knex: Knex, days: number): Promise<number> => {
  let deleted = 0;
  for (;;) {
    const part = await forgetPart(knex, days);
    if (part === null) return deleted;
    deleted += part;
  }
};

const forgetPart = (knex: Knex, days: number): Promise<number | null> =>
  knex.transaction(async (trx) => {
    await trx.raw('SELECT FROM audit_chain FOR UPDATE');
    const [last] = await rowsOf<LastLink>(trx, { minutes: days * 1_440 })(`
       SELECT number::float8, minute::float8, digest FROM (
         SELECT number, minute, digest FROM audit_links ORDER BY number LIMIT ${PART}) part
       WHERE minute < floor(extract(epoch FROM clock_timestamp()) / 60) - :minutes::bigint ORDER BY number DESC LIMIT 1`);
    if (last === undefined) return null;
    const deleted = await trx('audit_log')
      .where('id', '<', idOf(last.minute + 1))
      .delete();
    await trx('audit_links').where('number', '<=', last.number).delete();
    await trx('audit_chain').update({
      forgotten_number: last.number,
      forgotten_minute: last.minute,
      forgotten_digest: last.digest,
      forgotten_at: trx.raw('clock_timestamp()'),
    });
    return deleted;
  });
