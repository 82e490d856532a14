import type { Knex } from 'knex';
import { idOf } from './chain.ts';

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
    const { rows } = await trx.raw<{ rows: LastLink[] }>(
      `SELECT number::float8, minute::float8, digest FROM (
         SELECT number, minute, digest FROM audit_links ORDER BY number LIMIT ${PART}) part
       WHERE minute < floor(extract(epoch FROM clock_timestamp()) / 60) - :minutes::bigint ORDER BY number DESC LIMIT 1`,
      { minutes: days * 1_440 },
    );
    const [last] = rows;
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
