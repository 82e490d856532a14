/** SQL conditions and terms that several rooms share: about keys at work, the time that a restore has lost, and the windows of offers. */
import { openStatuses, transitions } from '../../domain/payment.ts';
import { quoted } from '../query/statements.ts';

/**
 * SQL condition over `signer_accounts a`: the key is in the catalogue and its network is not at rest, or the key still has a queued
 * intent or an open slot.
 */
export const isAtWork = `(a.dismissed_at IS NULL AND EXISTS (SELECT 1 FROM networks r WHERE r.id = a.network_id AND r.rested_at IS NULL)
  OR EXISTS (SELECT 1 FROM tx_slots s WHERE s.account_id = a.id AND s.state <> 'confirmed')
  OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued'))`;

/** SQL of the limits that an account has not forgotten, `{name: value as text}`; null for none. */
export const knownLimits = (account: string): string =>
  `(SELECT jsonb_object_agg(l.key, l.value ->> 'value') FROM jsonb_each(${account}.limits) l
     WHERE (l.value ->> 'until')::timestamptz > clock_timestamp())`;

/* Conditions about the time that a restored database has lost. */

/**
 * SQL condition: the database was marked as restored, and the watcher of the network has not read the lost blocks yet. Until then,
 * transactions that this database does not know may have been sent.
 * @param networkId SQL of the network's id
 */
export const isBehindRestore = (networkId: string): string =>
  `EXISTS (SELECT 1 FROM watch_cursors behind WHERE behind.network_id = ${networkId} AND behind.is_behind_restore)`;

/**
 * SQL condition on payments `p`: the wallet's own diamond is active at the address of the payment. Without it, anybody could put a
 * contract at the address of a wallet and emit logs of payments.
 */
export const activeDiamond = (p: string): string => `EXISTS (
    SELECT 1 FROM diamonds own WHERE own.wallet_id = ${p}.wallet_id AND own.network_id = ${p}.network_id
    AND own.address = ${p}.diamond_address AND own.status = 'active')`;

/** SQL condition on payments `p`: the payment is older than a restore. */
export const isFromBefore = (p: string): string =>
  // the clocks of two hosts differ
  `EXISTS (SELECT 1 FROM restores r WHERE ${p}.created_at < r.marked_at + interval '1 hour')`;

/**
 * SQL condition on payments `p`: the payment is older than a restore, and its diamond is not active in this database. It may have been
 * deployed in the lost time, and its logs count only once it is active here, so only the word of the deal tells whether there is one.
 */
export const mayLackDiamond = (p: string): string => `(${isFromBefore(p)} AND NOT ${activeDiamond(p)})`;

/*
 * The windows of offers, as SQL. Their ends lie on a grid of half windows by the database's clock. A revealed offer is valid for half
 * a window or more: for a whole one at most, and for one and a half if the current offer is missing and the next one is shown. The
 * last offer of a deal ends with the deal.
 */

/** SQL condition on payments `p`: an open payment with an offered deal. Matches the index `payments_offers_open`. */
export const openOffered = (p: string): string =>
  `${p}.deal_mode = 'offered' AND ${p}.status IN (${quoted(openStatuses)})`;

/**
 * SQL condition on payments `p`: a payment that the offers of its deal make, or keep, payable. Beyond these, nothing is signed: not for
 * a payment while a former choice of its order may still be paid, either.
 */
export const takesNewOffers = (p: string): string => `${p}.deal_mode = 'offered' AND NOT ${p}.is_blocked
    AND ${p}.status IN (${quoted([...transitions.deal_offered.from, transitions.deal_offered.to])})`;

/** SQL: the database's clock in Unix seconds. */
export const databaseNow = 'floor(extract(epoch FROM clock_timestamp()))::bigint';

/** SQL: half a window, in seconds. */
export const halfWindow = '(SELECT w.seconds / 2 FROM offer_windows w)';

/** SQL: the end of the current window. */
export const currentEnd = `((${databaseNow} / ${halfWindow} + 2) * ${halfWindow})`;

/** SQL: the end of the window after the current one. */
export const nextEnd = `((${databaseNow} / ${halfWindow} + 3) * ${halfWindow})`;

/**
 * SQL condition: the record of revealed offers is complete. A restore or a failover may lose the newest reveals, and no database can
 * tell which, so it counts as incomplete until `distrustRecord` of `db/offers` has seen this database.
 */
export const isRecordComplete = '(SELECT w.database FROM offer_windows w) IS NOT DISTINCT FROM database_identity()';

/**
 * SQL on payments `p`: the end of the last revealed offer; 0 if none was revealed. Read it in a statement after the lock of the payment.
 */
export const revealedUntil = (p: string): string =>
  `coalesce((SELECT e.revealed_until FROM offer_ends e WHERE e.payment_id = ${p}.id), 0)`;

/** SQL condition: the release of diamond `d` has the facet that pays offers. */
export const takesOffers = `(d.status = 'active' AND d.release ~ '^[0-9]+[.][0-9]+[.][0-9]+$'
  AND string_to_array(d.release, '.')::int[] >= '{1,3,0}')`;

/** SQL condition on payments `p`: the payment's own diamond is active and pays offers. */
export const isOfferable = (p: string): string => `coalesce((
    SELECT ${takesOffers} FROM diamonds d WHERE d.wallet_id = ${p}.wallet_id AND d.network_id = ${p}.network_id
    AND d.address = ${p}.diamond_address), false)`;
