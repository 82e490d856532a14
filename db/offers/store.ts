import type { Knex } from 'knex';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import { transitions } from '../../domain/payment.ts';
import type {
  FoundRegistry,
  OfferCipher,
  OfferSigner,
  OfferStore,
  SignedOffer,
  WantedOffers,
} from '../../domain/ports/offers.ts';
import { isHeld } from '../lane/holders.ts';
import { transitionBySigner } from '../payments/transition.ts';
import { recordOfferLook } from './stalled.ts';
import { clearOffersWait, endOffersWait, PART, showOffersWait } from '../intents/waiting.ts';
import { execute, executePlanned, planned, plannedRowsOf, rowsOf } from '../query/statements.ts';
import {
  currentEnd,
  databaseNow,
  halfWindow,
  isOfferable,
  nextEnd,
  openOffered,
  takesNewOffers,
} from '../intents/conditions.ts';

/** The context to which the ciphertext of an offer is bound. */
export const offerContext = (paymentId: string, validUntil: bigint | string): string =>
  `offer:${paymentId}:${validUntil}`;

/** The store of offers in PostgreSQL. */
export const createOfferStore = (knex: Knex, cipher: OfferCipher): OfferStore => ({
  signers: (networkId) => loadSigners(knex, networkId),
  isInUse: async (networkId) => {
    const rows = await plannedRowsOf(knex, { network_id: networkId })(
      `SELECT 1 FROM payments p WHERE p.network_id = :network_id AND ${openOffered('p')} LIMIT 1`,
    );
    return rows.length > 0;
  },
  recordLook: (networkId) => recordOfferLook(knex, networkId),
  wanted: (networkId, limit) => loadWanted(knex, networkId, limit),
  save: (accountId, offers) => knex.transaction((trx) => saveOffers(trx, cipher, accountId, offers)),
  isPaused: async (networkId) => {
    const row = await knex('offer_looks')
      .where({ network_id: networkId })
      .first<{ is_paused: boolean | null } | undefined>('is_paused');
    return row?.is_paused ?? null;
  },
  recordRegistry: async (networkId, found) => {
    await recordRegistry(knex, networkId, found);
    while (await dropOfRoleless(knex, networkId));
  },
  showOffersWait: (networkId, detail) =>
    detail === null ? clearOffersWait(knex, networkId) : showOffersWait(knex, networkId, detail),
});

const loadSigners = (knex: Knex, networkId: string): Promise<OfferSigner[]> =>
  rowsOf<OfferSigner>(knex, { network_id: networkId })(`SELECT a.id, a.address, a.role_read_at IS NOT NULL AS "isKnown",
       a.status = 'active' AND a.role_read_at IS NOT NULL AS "hasRole", ${isHeld('a')} AS "isHeld" FROM signer_accounts a
     WHERE a.network_id = :network_id AND a.role = 'signer' AND a.dismissed_at IS NULL ORDER BY a.id`);

interface WantedRow {
  id: string;
  diamond_address: string;
  deal_id: string;
  token_address: string | null;
  payment_address: string;
  paid_price_units: string;
  expires_unix: string;
  ends: string[];
}

/**
 * A pending payment gets the offers of the current and the next window, no matter when its diamond became able to take
 * offers. Later offers are signed while a page wants them.
 */
const loadWanted = async (knex: Knex, networkId: string, limit: number): Promise<WantedOffers[]> => {
  const rows = await plannedRowsOf<WantedRow>(knex, { network_id: networkId, limit })(`
WITH ends AS MATERIALIZED (
  SELECT ${databaseNow} AS now, ${currentEnd} AS current, ${nextEnd} AS next, ${halfWindow} AS half
)
SELECT p.id, p.diamond_address, p.deal_id, p.token_address, p.payment_address, p.paid_price_units, p.expires_unix, missing.ends
-- OFFSET: the planner reads the payments one by one, until there are enough, and not all that are open
FROM ends CROSS JOIN offer_ends w CROSS JOIN LATERAL (SELECT * FROM payments WHERE id = w.payment_id OFFSET 0) p CROSS JOIN LATERAL (
  SELECT array_agg(DISTINCT least(e, p.expires_unix)::text) AS ends
  FROM generate_series(ends.current, CASE p.status WHEN 'pending' THEN ends.next ELSE least(greatest(w.wanted_until, ends.current), ends.next) END, ends.half) e
  WHERE least(e, p.expires_unix) > w.signed_until) missing
WHERE w.network_id = :network_id AND w.signed_until < w.wanted_until AND ${takesNewOffers('p')}
  AND (p.status = 'pending' OR w.wanted_until > ends.now) AND p.expires_unix > ends.now
  AND missing.ends IS NOT NULL AND ${isOfferable('p')}
ORDER BY w.payment_id LIMIT :limit`);
  return rows.map((row) => ({
    paymentId: row.id,
    diamond: row.diamond_address,
    terms: {
      dealId: BigInt(row.deal_id),
      token: row.token_address ?? ZERO_ADDRESS,
      payee: row.payment_address,
      payer: ZERO_ADDRESS,
      amount: BigInt(row.paid_price_units),
      expiresAt: BigInt(row.expires_unix),
    },
    ends: row.ends.map(BigInt),
  }));
};

const saveOffers = async (
  trx: Knex.Transaction,
  cipher: OfferCipher,
  accountId: string,
  offers: readonly SignedOffer[],
): Promise<void> => {
  // Before the payments: a role is not found lost between this and the commit.
  const rows = await plannedRowsOf(trx, { account_id: accountId })(
    `SELECT FROM signer_accounts WHERE id = :account_id AND status = 'active' FOR SHARE`,
  );
  if (rows.length === 0) return;
  const ids = [...new Set(offers.map(({ paymentId }) => paymentId))];
  const given = offers.map(({ paymentId, validUntil, signature }) => ({
    payment_id: paymentId,
    valid_until: validUntil.toString(),
    encrypted: `\\x${Buffer.from(cipher.encrypt(offerContext(paymentId, validUntil), signature)).toString('hex')}`,
  }));
  await executePlanned(trx, { given: JSON.stringify(given), ids, account_id: accountId })(`
WITH taking AS MATERIALIZED (
  SELECT p.id FROM payments p WHERE p.id = ANY(:ids) AND ${takesNewOffers('p')} AND ${isOfferable('p')}
  ORDER BY p.id FOR NO KEY UPDATE OF p
), given AS MATERIALIZED (
  SELECT g.* FROM jsonb_to_recordset(:given::jsonb) AS g (payment_id uuid, valid_until bigint, encrypted bytea)
  JOIN taking p ON p.id = g.payment_id
  -- a process that was frozen brings offers that are over
  WHERE g.valid_until > ${databaseNow}
), saved AS (
  INSERT INTO offers (payment_id, valid_until, account_id, encrypted)
  SELECT payment_id, valid_until, :account_id, encrypted FROM given
  ON CONFLICT (payment_id, valid_until) DO UPDATE SET account_id = excluded.account_id, encrypted = excluded.encrypted
)
UPDATE offer_ends w SET signed_until = greatest(w.signed_until, g.valid_until)
FROM (SELECT payment_id, max(valid_until) AS valid_until FROM given GROUP BY payment_id) g WHERE w.payment_id = g.payment_id`);
  await transitionBySigner(trx, {
    name: 'deal_offered',
    where: 'p.id = ANY(:ids)',
    bindings: { ids },
    actor: { type: 'system' },
  });
  await endOffersWait(trx, ids);
  // Payments that did not become payable need their offers again.
  await executePlanned(trx, { ids, from: transitions.deal_offered.from })(`
       UPDATE offer_ends SET signed_until = 0 WHERE signed_until > 0
       AND payment_id IN (SELECT id FROM payments WHERE id = ANY(:ids) AND status = ANY(:from))`);
};

/** From here on, no offer of a signer without its role is revealed. One that is no longer listed counts as without it. */
const recordRegistry = async (
  knex: Knex,
  networkId: string,
  { isPaused, asked, holders }: FoundRegistry,
): Promise<void> => {
  await execute(knex, { network_id: networkId, is_paused: isPaused, asked, holders })(`WITH registry AS (
       INSERT INTO offer_looks (network_id, is_paused) VALUES (:network_id, :is_paused)
       ON CONFLICT (network_id) DO UPDATE SET is_paused = excluded.is_paused
       WHERE offer_looks.is_paused IS DISTINCT FROM excluded.is_paused
     )
     UPDATE signer_accounts SET status = CASE WHEN id = ANY(:holders::uuid[]) THEN 'active' ELSE 'paused' END,
       status_detail = CASE WHEN id = ANY(:holders::uuid[]) THEN NULL ELSE 'signer_revoked' END, updated_at = now(),
       role_read_at = CASE WHEN id = ANY(:asked::uuid[]) THEN now() END
     WHERE network_id = :network_id AND role = 'signer' AND ((status = 'active') <> (id = ANY(:holders::uuid[]))
       OR (role_read_at IS NOT NULL) <> (id = ANY(:asked::uuid[])))`);
};

/**
 * Deletes some offers of signers that have lost their role, and wants them again. Locks the payments before their offers, in the
 * order of their ids, as everywhere.
 * @returns true when more may be left
 */
const dropOfRoleless = (knex: Knex, networkId: string): Promise<boolean> =>
  knex.transaction(async (trx) => {
    const rows = await plannedRowsOf<{ id: string }>(trx, { network_id: networkId })(`
       SELECT p.id FROM payments p WHERE p.id IN (
         SELECT DISTINCT o.payment_id FROM signer_accounts a JOIN offers o ON o.account_id = a.id
         WHERE a.network_id = :network_id AND a.role = 'signer' AND a.status = 'paused' LIMIT ${PART})
       ORDER BY p.id FOR NO KEY UPDATE`);
    if (rows.length === 0) return false;
    const ids = rows.map(({ id }) => id);
    await planned(trx, 'UPDATE offer_ends SET signed_until = 0 WHERE payment_id = ANY(:ids)', { ids });
    await executePlanned(trx, { ids })(`DELETE FROM offers o USING signer_accounts a
       WHERE o.payment_id = ANY(:ids) AND a.id = o.account_id AND a.role = 'signer' AND a.status = 'paused'`);
    return rows.length === PART;
  });
