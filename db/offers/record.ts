import type { Knex } from 'knex';
import { databaseNow, isRecordComplete, openOffered } from '../intents/offer-windows.ts';
import { PART } from '../intents/waiting.ts';

/** Sorts before every id. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

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
export const distrustRecord = async (knex: Knex, seconds: number): Promise<number | null> => {
  const { rows } = await knex.raw<{ rows: { identity: string }[] }>(
    `SELECT database_identity() AS identity WHERE NOT (${isRecordComplete})`,
  );
  if (rows[0] === undefined) return null;
  await setWindow(knex, seconds);
  let payments = 0;
  for (let after: string | null = NIL_UUID; after !== null;) {
    const part = await distrustSome(knex, after);
    payments += part.length;
    after = part.length === PART ? part.at(-1)! : null;
  }
  // A server that was started again meanwhile has another identity, and begins anew.
  await knex.raw('UPDATE offer_windows SET database = :identity', rows[0]);
  return payments;
};

/** Payments that are created meanwhile lost nothing, and the ids of the others are known by now. @returns their ids, in order */
const distrustSome = (knex: Knex, after: string): Promise<string[]> =>
  knex.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { id: string }[] }>(
      `SELECT p.id FROM payments p WHERE ${openOffered('p')} AND p.id > :after ORDER BY p.id LIMIT ${PART} FOR NO KEY UPDATE`,
      { after },
    );
    const ids = rows.map(({ id }) => id);
    // A choice that waited at the backup has no row, and may have been offered since.
    await trx.raw(
      `INSERT INTO offer_ends (payment_id, network_id, wanted_until, revealed_until)
       SELECT id, network_id, 0, ${databaseNow} + (SELECT 2 * longest FROM offer_windows) FROM payments WHERE id = ANY(:ids)
       ON CONFLICT (payment_id) DO UPDATE SET revealed_until = greatest(offer_ends.revealed_until, excluded.revealed_until)`,
      { ids },
    );
    return ids;
  });
