import type { Knex } from 'knex';
import { openCheckoutStatuses } from '../../domain/checkouts/checkout.ts';
import { checkoutGuards } from '../choices/guards.ts';
import { moveCheckouts } from '../choices/settle.ts';
import { quoted, rowsOf } from '../query/statements.ts';

const AT_ONCE = 500;

/**
 * Expires checkouts without an open payment that are past their expiry by the clock of the database. Most of them were never chosen. Checkouts
 * that are locked elsewhere are left for later.
 * @returns their number; as many as go into one transaction when there may be more
 */
export const expireCheckouts = (knex: Knex): Promise<{ readonly expired: number; readonly mayBeMore: boolean }> =>
  knex.transaction(async (trx) => {
    const rows = await rowsOf<{ id: string }>(trx, { limit: AT_ONCE })(`SELECT id FROM checkouts WHERE id = ANY (ARRAY(
         SELECT c.id FROM checkouts c WHERE c.status IN (${quoted(openCheckoutStatuses)})
           AND c.expires_unix <= extract(epoch FROM clock_timestamp()) AND (${checkoutGuards.overdue.sql})
         ORDER BY c.expires_unix LIMIT :limit))
       ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`);
    const ids = rows.map(({ id }) => id);
    // A checkout whose cancel was accepted is canceled by the end of its payment.
    const expired = ids.length === 0 ? [] : await moveCheckouts(trx, 'checkout_expired', ids);
    return { expired: expired.length, mayBeMore: rows.length === AT_ONCE && expired.length > 0 };
  });
