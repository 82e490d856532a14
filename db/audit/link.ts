import type { Knex } from 'knex';
import type { Link } from './chain.ts';

/** The database refuses links from an older snapshot, so the default of the role does not count. */
const PRESENT = { isolationLevel: 'read committed' } as const;

/** Milliseconds after which a pass ends, even if minutes are left. */
const PASS_MS = 4_000;

/**
 * Locks the end of the chain; false while somebody else has it.
 * @throws Error when the newest link is older than the one that was noted: somebody has removed it, or changed the note
 */
const lockEnd = async (trx: Knex): Promise<boolean> => {
  const { rowCount } = await trx.raw<{ rowCount: number }>('SELECT FROM audit_chain FOR UPDATE SKIP LOCKED');
  if (rowCount === 0) return false;
  const { rows } = await trx.raw<{ rows: [{ found: number; noted: number }] }>(
    `SELECT coalesce((SELECT max(number) FROM audit_links), forgotten_number)::float8 AS found, last_number::float8 AS noted FROM audit_chain`,
  );
  const [{ found, noted }] = rows;
  if (found >= noted) return true;
  throw new Error(`the audit log ends with the link ${found} instead of ${noted}; run carat audit verify`);
};

/** Links the next finished minute that has entries, as the database computes it. @returns null when none is left */
const linkNext = async (trx: Knex): Promise<Link | null> => {
  const { rows } = await trx.raw<{ rows: Link[] }>(
    `INSERT INTO audit_links DEFAULT VALUES RETURNING number::float8, minute::float8, entries, entries_digest, digest`,
  );
  return rows[0] ?? null;
};

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
