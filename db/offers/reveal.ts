import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Offer } from '../../domain/deal.ts';
import type { OfferCipher } from '../../domain/ports/offers.ts';
import { createBatch } from '../../domain/tools/batch.ts';
import { measure } from '../../runtime/measures.ts';
import { databaseNow, halfWindow, nextEnd } from '../intents/conditions.ts';
import { prepared, type Statement } from '../query/statements.ts';
import { offerContext } from './store.ts';

/**
 * SQL: the current offer of payment `p`, which has a column `now`, by a signer that still has its role. It is valid for half a window
 * or more, or until the expiry.
 */
const currentOffer = (columns: string): string => `(SELECT ${columns} FROM offers o
  JOIN signer_accounts a ON a.id = o.account_id AND a.status = 'active'
  WHERE o.payment_id = p.id AND o.valid_until > p.now AND (o.valid_until >= p.now + ${halfWindow} OR o.valid_until = p.expires_unix)
  ORDER BY o.valid_until LIMIT 1)`;

/** SQL: the end up to which a reader of the current offer wants further offers. */
const wantedEnd = `least(p.expires_unix, ${nextEnd})`;

interface OfferRow {
  readonly id: string;
  readonly valid_until: string | null;
  readonly encrypted: Buffer | null;
  /** True when the offer is recorded as revealed, or when there is no offer. */
  readonly is_revealed: boolean;
  /** True when the next offer is recorded as wanted. */
  readonly is_wanted: boolean;
}

const columns = 'p.id, o.valid_until, o.encrypted';

const readStatement: Statement = {
  name: 'read_offers',
  text: `
WITH read AS MATERIALIZED (
  SELECT id, expires_unix, ${databaseNow} AS now FROM payments
  WHERE id = ANY($1::uuid[]) AND deal_mode = 'offered' AND status = 'awaiting_payment'
)
SELECT ${columns}, coalesce(w.revealed_until >= o.valid_until, o.valid_until IS NULL) AS is_revealed,
  w.wanted_until >= ${wantedEnd} AS is_wanted
FROM read p JOIN offer_ends w ON w.payment_id = p.id LEFT JOIN LATERAL ${currentOffer('o.valid_until, o.encrypted')} o ON true`,
};

/**
 * Raises the ends of the revealed offers under the locks of the payments' rows, so that a cancel sees the whole reveal
 * or none of it. The commit is flushed before an offer is shown. Wakes the signers if offers are missing.
 */
const revealStatement: Statement = {
  name: 'reveal_offers',
  text: `
WITH picked AS MATERIALIZED (
  SELECT p.id, p.network_id, p.expires_unix, ${databaseNow} AS now
  FROM payments p CROSS JOIN (SELECT set_config('synchronous_commit', 'on', true)) flushed
  WHERE p.id = ANY($1::uuid[]) AND p.deal_mode = 'offered' AND p.status = 'awaiting_payment'
  ORDER BY p.id FOR NO KEY UPDATE OF p SKIP LOCKED
), revealed AS (
  UPDATE offer_ends w SET revealed_until = greatest(w.revealed_until, ${currentOffer('o.valid_until')}),
    wanted_until = greatest(w.wanted_until, ${wantedEnd})
  FROM picked p WHERE w.payment_id = p.id
  RETURNING p.*, w.revealed_until, w.signed_until < w.wanted_until AS lacks_offers
), woken AS MATERIALIZED (
  SELECT pg_notify('carat_offers', network_id::text) FROM (SELECT DISTINCT network_id FROM revealed WHERE lacks_offers) r
)
SELECT ${columns}, true AS is_revealed, true AS is_wanted, (SELECT count(*) FROM woken)
FROM revealed p LEFT JOIN LATERAL ${currentOffer('o.valid_until, o.encrypted')} o ON o.valid_until <= p.revealed_until`,
};

/** Most payments of one statement, and the time after which a slow statement no longer holds up the next one, in milliseconds. */
const BATCH = { maxItems: 64, patienceMs: 20, maxBatches: 4 };

/** First pause before a payment whose row is locked is tried again, and the time after which that ends, in milliseconds. */
const FIRST_PAUSE = 5;
const PATIENCE = 4_000;

/** Another transaction has held the lock of a payment's row for too long. The code is PostgreSQL's lock_not_available. */
class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly code = '55P03';
}

/** Another transaction holds the lock of the payment's row. */
const LOCKED = Symbol('locked');

/**
 * Reads the current offers of payments. Requests at the same time share a commit, and none of them waits for the locked payment of
 * another.
 * @returns a function whose result is null while no offer is stored, and for a payment that is not `awaiting_payment`
 *   with an offered deal
 * @throws LockedError when the payment's row stays locked
 */
export const createReveal = (knex: Knex, cipher: OfferCipher): ((paymentId: string) => Promise<Offer | null>) => {
  const toOffer = ({ id, valid_until: end, encrypted }: OfferRow): Offer | null =>
    end === null || encrypted === null
      ? null
      : { validUntil: BigInt(end), signature: cipher.decrypt(offerContext(id, end), encrypted) };

  const revealAll = async (ids: readonly string[]): Promise<(Offer | null | typeof LOCKED)[]> => {
    const read = await prepared<OfferRow>(knex, readStatement, [ids]);
    const isDone = ({ is_revealed: isRevealed, is_wanted: isWanted }: OfferRow): boolean => isRevealed && isWanted;
    const hidden = read.flatMap((row) => (isDone(row) ? [] : [row.id]));
    const shown = read.filter(isDone);
    if (hidden.length > 0) {
      const revealed = await prepared<OfferRow>(knex, revealStatement, [hidden]);
      measure('revealed', { offers: revealed.length });
      shown.push(...revealed);
    }
    const offers = new Map<string, Offer | null | typeof LOCKED>(hidden.map((id) => [id, LOCKED]));
    for (const row of shown) offers.set(row.id, toOffer(row));
    return ids.map((id) => offers.get(id.toLowerCase()) ?? null);
  };
  const reveal = createBatch({ run: revealAll, ...BATCH });

  return async (paymentId) => {
    const until = performance.now() + PATIENCE;
    for (let pause = FIRST_PAUSE; ; pause *= 2) {
      const offer = await reveal(paymentId);
      if (offer !== LOCKED) return offer;
      if (performance.now() + pause > until) throw new LockedError();
      await delay(pause);
    }
  };
};
