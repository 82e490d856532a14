import type { Knex } from 'knex';
import { openCheckoutStatuses } from '../../domain/checkouts/checkout.ts';
import { CHECKOUTS_LEVEL, OFFERS_LEVEL } from '../level.ts';
import { databaseNow, openOffered } from '../intents/offer-windows.ts';
import { PART } from '../intents/waiting.ts';
import { quoted } from '../query/quoted.ts';

/**
 * Deletes offers that are over, and requests none for payments that have ended. Lowers the floor of the database when no wallet offers
 * deals, no offered payment is open, and no checkout of a buyer's choice is.
 * @returns true when more offers may be over
 */
export const forgetOffers = async (knex: Knex): Promise<boolean> => {
  if (await forgetPart(knex)) return true;
  await knex.raw(
    `UPDATE offer_ends e SET wanted_until = e.signed_until FROM payments p
     WHERE e.signed_until < e.wanted_until AND p.id = e.payment_id AND p.terminal_at IS NOT NULL`,
  );
  await lowerFloor(knex);
  return false;
};

/** Locks payments before their offers, in the order of their ids, as everywhere; others that are locked are left for later. */
const forgetPart = (knex: Knex): Promise<boolean> =>
  knex.transaction(async (trx) => {
    const isOver = `valid_until <= ${databaseNow} - 60`;
    const { rows } = await trx.raw<{ rows: { id: string }[] }>(
      `SELECT p.id FROM payments p WHERE p.id = ANY (ARRAY(
         SELECT payment_id FROM offers WHERE ${isOver} ORDER BY valid_until LIMIT ${PART}))
       ORDER BY p.id FOR NO KEY UPDATE SKIP LOCKED`,
    );
    const ids = rows.map(({ id }) => id);
    await trx.raw(
      `WITH deleted AS (
         DELETE FROM offers WHERE payment_id = ANY(:ids) AND ${isOver} RETURNING payment_id, valid_until
       ), forgotten AS MATERIALIZED (
         SELECT payment_id, max(valid_until) AS valid_until FROM deleted GROUP BY payment_id
       )
       -- signed again when they are wanted: the clock may have been ahead for a moment
       UPDATE offer_ends e SET signed_until = 0, wanted_until = CASE WHEN e.wanted_until > ${databaseNow} THEN e.wanted_until ELSE 0 END
       FROM forgotten f JOIN payments p ON p.id = f.payment_id AND p.terminal_at IS NULL AND p.status <> 'pending'
       WHERE e.payment_id = f.payment_id AND e.signed_until = f.valid_until`,
      { ids },
    );
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
    const { rows } = await trx.raw<{ rows: unknown[] }>('SELECT FROM floor WHERE level >= ? FOR UPDATE', [
      OFFERS_LEVEL,
    ]);
    if (rows.length === 0) return;
    await trx.raw(
      `UPDATE floor SET level = f.wanted FROM (SELECT greatest(lowest, CASE WHEN NOT (${hasNoCheckouts}) THEN ${CHECKOUTS_LEVEL}
         WHEN NOT (${offersNothing}) THEN ${OFFERS_LEVEL} ELSE ${OFFERS_LEVEL - 1} END) AS wanted FROM floor) f WHERE level > f.wanted`,
    );
  });
