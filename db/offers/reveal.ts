import type { Knex } from 'knex';
import type { Offer } from '../../domain/deal.ts';
import type { OfferCipher } from '../../domain/ports/offers.ts';
import { prepared, type Statement } from '../query/prepared.ts';
import { offerContext } from './store.ts';
import { halfWindow, nextEnd, offerNow } from '../intents/offer-windows.ts';

/**
 * SQL: the current offer of payment `p`, by a signer that has its role as far as known: valid for half a window at least, or until
 * the expiry.
 */
const currentOffer = `(SELECT o.valid_until, o.encrypted FROM offers o JOIN signer_accounts a ON a.id = o.account_id AND a.status = 'active'
  WHERE o.payment_id = p.id AND (o.valid_until >= ${offerNow('p.network_id')} + ${halfWindow} OR o.valid_until = p.expires_unix)
    AND o.valid_until > ${offerNow('p.network_id')} ORDER BY o.valid_until LIMIT 1)`;

/** SQL: offers up to this end are wanted by somebody who reads the current one. */
const wantedEnd = `least(p.expires_unix, ${nextEnd('p.network_id')})`;

interface OfferRow {
  readonly valid_until: string | null;
  readonly encrypted: Buffer | null;
  /** False unless the record says that it was revealed, and the next one is wanted. */
  readonly is_revealed: boolean | null;
}

const columns = `o.valid_until, o.encrypted,
  p.offer_revealed_until >= o.valid_until AND p.offer_wanted_until >= ${wantedEnd} AS is_revealed`;

const readStatement: Statement = {
  name: 'read_offer',
  text: `SELECT ${columns} FROM payments p LEFT JOIN LATERAL ${currentOffer} o ON true
    WHERE p.id = $1 AND p.deal_mode = 'offered' AND p.status = 'awaiting_payment'`,
};

/**
 * Raises the end of the revealed offers under the lock of the payment's row, so that a cancel sees either the reveal or none. The
 * commit is flushed before anything is shown. Wakes the signers where offers are lacking.
 */
const revealStatement: Statement = {
  name: 'reveal_offer',
  text: `
WITH flushed AS (
  SELECT set_config('synchronous_commit', 'on', true)
), revealed AS (
  UPDATE payments p SET offer_revealed_until = greatest(p.offer_revealed_until, ${currentOffer.replace('o.valid_until, o.encrypted', 'o.valid_until')}),
    offer_wanted_until = greatest(p.offer_wanted_until, ${wantedEnd})
  FROM flushed WHERE p.id = $1 AND p.deal_mode = 'offered' AND p.status = 'awaiting_payment'
  RETURNING p.*
), woken AS (
  SELECT pg_notify('carat_offers', r.network_id::text) FROM revealed r
  WHERE coalesce(r.offer_signed_until, 0) < r.offer_wanted_until
)
SELECT o.valid_until, o.encrypted, true AS is_revealed
FROM revealed p LEFT JOIN LATERAL ${currentOffer} o ON o.valid_until <= p.offer_revealed_until LEFT JOIN woken ON true`,
};

/**
 * Reveals the current offer of a payment.
 * @returns null while none is stored, and for a payment that is not awaiting its payment with an offered deal
 */
export const revealOffer = async (knex: Knex, cipher: OfferCipher, paymentId: string): Promise<Offer | null> => {
  const [read] = await prepared<OfferRow>(knex, readStatement, [paymentId]);
  if (read === undefined) return null;
  const [shown] = read.is_revealed === true ? [read] : await prepared<OfferRow>(knex, revealStatement, [paymentId]);
  if (shown === undefined || shown.valid_until === null || shown.encrypted === null) return null;
  return {
    validUntil: BigInt(shown.valid_until),
    signature: cipher.decrypt(offerContext(paymentId, shown.valid_until), shown.encrypted),
  };
};
