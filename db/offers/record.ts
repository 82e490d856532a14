import type { Knex } from 'knex';
import { databaseNow, isRecordComplete, openOffered } from '../intents/conditions.ts';
import { PART } from '../intents/waiting.ts';
import { openCheckoutStatuses } from '../../domain/checkouts/checkout.ts';
import { CHECKOUTS_LEVEL, OFFERS_LEVEL } from '../level.ts';
import { execute, hasRows, idsOf, quoted, rowsOf } from '../query/statements.ts';

/** Sorts before every id. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Stores the length of the windows of new offers, in seconds. An even number. */
export const setWindow = async (knex: Knex, seconds: number): Promise<void> => {
  await execute(knex, { seconds })(
    'UPDATE offer_windows SET seconds = :seconds, longest = greatest(longest, :seconds) WHERE seconds <> :seconds',
  );
};

/**
 * Counts every open offered payment as revealed for two of the longest windows from now, if a restore or a failover may have lost
 * a reveal: an offer of the next window may have been the only one, and the clocks of two hosts differ.
 * @param seconds the configured window, because the stored one may be that of an old backup
 * @returns the number of payments; null if the record was complete
 */
export const distrustRecord = async (knex: Knex, seconds: number): Promise<number | null> => {
  const rows = await rowsOf<{ identity: string }>(knex)(
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
    const ids = await idsOf(trx, { after })(
      `SELECT p.id FROM payments p WHERE ${openOffered('p')} AND p.id > :after ORDER BY p.id LIMIT ${PART} FOR NO KEY UPDATE`,
    );
    // A choice that waited at the backup has no row, and may have been offered since.
    await execute(trx, { ids })(`INSERT INTO offer_ends (payment_id, network_id, wanted_until, revealed_until)
       SELECT id, network_id, 0, ${databaseNow} + (SELECT 2 * longest FROM offer_windows) FROM payments WHERE id = ANY(:ids)
       ON CONFLICT (payment_id) DO UPDATE SET revealed_until = greatest(offer_ends.revealed_until, excluded.revealed_until)`);
    return ids;
  });

/**
 * Deletes offers that are over, and requests none for payments that have ended. Lowers the floor of the database when no wallet offers
 * deals, no offered payment is open, and no checkout of a buyer's choice is.
 * @returns true when more offers may be over
 */
export const forgetOffers = async (knex: Knex): Promise<boolean> => {
  if (await forgetPart(knex)) return true;
  await execute(knex)(`UPDATE offer_ends e SET wanted_until = e.signed_until FROM payments p
     WHERE e.signed_until < e.wanted_until AND p.id = e.payment_id AND p.terminal_at IS NOT NULL`);
  await lowerFloor(knex);
  return false;
};

/** Locks payments before their offers, in the order of their ids, as everywhere; others that are locked are left for later. */
const forgetPart = (knex: Knex): Promise<boolean> =>
  knex.transaction(async (trx) => {
    const isOver = `valid_until <= ${databaseNow} - 60`;
    const ids = await idsOf(trx)(`SELECT p.id FROM payments p WHERE p.id = ANY (ARRAY(
         SELECT payment_id FROM offers WHERE ${isOver} ORDER BY valid_until LIMIT ${PART}))
       ORDER BY p.id FOR NO KEY UPDATE SKIP LOCKED`);
    await execute(trx, { ids })(`WITH deleted AS (
         DELETE FROM offers WHERE payment_id = ANY(:ids) AND ${isOver} RETURNING payment_id, valid_until
       ), forgotten AS MATERIALIZED (
         SELECT payment_id, max(valid_until) AS valid_until FROM deleted GROUP BY payment_id
       )
       -- signed again when they are wanted: the clock may have been ahead for a moment
       UPDATE offer_ends e SET signed_until = 0, wanted_until = CASE WHEN e.wanted_until > ${databaseNow} THEN e.wanted_until ELSE 0 END
       FROM forgotten f JOIN payments p ON p.id = f.payment_id AND p.terminal_at IS NULL AND p.status <> 'pending'
       WHERE e.payment_id = f.payment_id AND e.signed_until = f.valid_until`);
    return ids.length > 0;
  });

/** SQL condition: no wallet offers deals, and no offered payment is open. */
const offersNothing = `NOT EXISTS (SELECT 1 FROM wallets WHERE deleted_at IS NULL AND deal_modes::text LIKE '%offered%')
  AND NOT EXISTS (SELECT 1 FROM payments p WHERE ${openOffered('p')})`;

/** SQL condition: no checkout is open, and no event of a checkout must still be rendered. */
const hasNoCheckouts = `NOT EXISTS (SELECT 1 FROM checkouts WHERE status IN (${quoted(openCheckoutStatuses)}))
  AND NOT EXISTS (SELECT 1 FROM webhook_events WHERE checkout_id IS NOT NULL AND body IS NULL)`;

/** A transaction that raises the floor locks this row, so this one locks it before it reads anything. */
const lowerFloor = (knex: Knex): Promise<void> =>
  knex.transaction(async (trx) => {
    if (!(await hasRows(trx, [OFFERS_LEVEL])('SELECT FROM floor WHERE level >= ? FOR UPDATE'))) return;
    await execute(trx)(`
       UPDATE floor SET level = f.wanted FROM (SELECT greatest(lowest, CASE WHEN NOT (${hasNoCheckouts}) THEN ${CHECKOUTS_LEVEL}
         WHEN NOT (${offersNothing}) THEN ${OFFERS_LEVEL} ELSE ${OFFERS_LEVEL - 1} END) AS wanted FROM floor) f WHERE level > f.wanted`);
  });
