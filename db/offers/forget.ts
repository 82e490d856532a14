import type { Knex } from 'knex';
import { OFFERS_LEVEL } from '../level.ts';
import { databaseNow, openOffered } from '../intents/offer-windows.ts';

/** Most offers deleted by one statement. */
const PART = 10_000;

/**
 * Deletes offers that are over, and wants none for payments that have ended. Lowers the floor of the database when no wallet offers
 * deals and no offered payment is open.
 * @returns true when more offers may be over
 */
export const forgetOffers = async (knex: Knex): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: [{ count: number }] }>(
    `WITH deleted AS (
       DELETE FROM offers WHERE (payment_id, valid_until) IN (
         SELECT payment_id, valid_until FROM offers WHERE valid_until <= ${databaseNow} - 60 ORDER BY valid_until LIMIT ${PART}
         FOR UPDATE SKIP LOCKED)
       RETURNING payment_id, valid_until
     ), forgotten AS (
       -- signed again when they are wanted: the clock may have been ahead for a moment
       UPDATE offer_ends e SET signed_until = 0, wanted_until = 0 FROM payments p
       WHERE p.id = e.payment_id AND p.status = 'awaiting_payment'
         AND (e.payment_id, e.signed_until) IN (SELECT payment_id, max(valid_until) FROM deleted GROUP BY payment_id)
     )
     SELECT count(*)::int FROM deleted`,
  );
  if (rows[0].count === PART) return true;
  await knex.raw(
    `UPDATE offer_ends e SET wanted_until = e.signed_until FROM payments p
     WHERE e.signed_until < e.wanted_until AND p.id = e.payment_id AND p.terminal_at IS NOT NULL`,
  );
  await lowerFloor(knex);
  return false;
};

/** A switch of a wallet raises the floor in its transaction, so the row is locked before anything is read. */
const lowerFloor = (knex: Knex): Promise<void> =>
  knex.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: unknown[] }>('SELECT FROM floor WHERE level = ? FOR UPDATE', [OFFERS_LEVEL]);
    if (rows.length === 0) return;
    await trx.raw(
      `UPDATE floor SET level = :level WHERE
         NOT EXISTS (SELECT 1 FROM wallets WHERE deleted_at IS NULL AND deal_modes::text LIKE '%offered%')
         AND NOT EXISTS (SELECT 1 FROM payments p WHERE ${openOffered('p')})`,
      { level: OFFERS_LEVEL - 1 },
    );
  });
