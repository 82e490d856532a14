import type { Knex } from 'knex';
import { databaseNow, isRecordComplete, openOffered } from '../intents/offer-windows.ts';

/** Stores the length of the windows of new offers, in seconds. An even number. */
export const setWindow = async (knex: Knex, seconds: number): Promise<void> => {
  await knex.raw(
    'UPDATE offer_windows SET seconds = :seconds, longest = greatest(longest, :seconds) WHERE seconds <> :seconds',
    { seconds },
  );
};

/**
 * Counts every open offered payment as revealed for two of the longest windows from now, if a restore or a failover may have lost
 * a reveal: an offer of the next window may have been the only one, and the clocks of two hosts differ.
 * @param seconds the configured window, because the stored one may be that of an old backup
 * @returns the number of payments; null if the record was complete
 */
export const distrustRecord = (knex: Knex, seconds: number): Promise<number | null> =>
  knex.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: unknown[] }>(
      `SELECT 1 FROM offer_windows WHERE NOT (${isRecordComplete}) FOR UPDATE`,
    );
    if (rows.length === 0) return null;
    await trx.raw(`SELECT p.id FROM payments p WHERE ${openOffered('p')} ORDER BY p.id FOR NO KEY UPDATE`);
    await setWindow(trx, seconds);
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `UPDATE offer_ends e SET revealed_until = greatest(e.revealed_until, ${databaseNow} + (SELECT 2 * longest FROM offer_windows))
       FROM payments p WHERE p.id = e.payment_id AND ${openOffered('p')}`,
    );
    await trx.raw('UPDATE offer_windows SET database = database_identity()');
    return rowCount;
  });
