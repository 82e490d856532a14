/**
 * The guards of `domain/payment.ts` as SQL conditions over `payments p`. `transition.ts` adds the guard of a row to
 * every statement that writes the row; the caller provides the bindings that the condition names.
 */
import { transitions, type GuardName } from '../../domain/payment.ts';
import { lastCreate, mayHaveDeal } from '../intents/deals.ts';
import {
  isBehindRestore,
  isFromBefore,
  mayLackDiamond,
  databaseNow,
  isOfferable,
  isRecordComplete,
  revealedUntil,
} from '../intents/conditions.ts';

interface Guard {
  /** The condition in a sentence, for `docs/payment-states.md`. */
  readonly means: string;
  readonly sql: string;
}

const isOffered = `p.deal_mode = 'offered'`;

const isDealConfirmed = `p.deal_block_number IS NOT NULL
    AND p.deal_block_number <= (SELECT c.confirmed_number FROM watch_cursors c WHERE c.network_id = p.network_id)`;

/** The newest entry of the log is a retry, and nothing has happened to a transaction of the payment since. */
const isRetryInHand = `EXISTS (
  SELECT 1 FROM payment_logs r WHERE r.payment_id = p.id AND r.sequence = p.sequence AND r.event_type = '${transitions.retry_requested.log}'
    AND NOT EXISTS (SELECT 1 FROM tx_intents i JOIN tx_slot_logs l ON l.slot_id = i.slot_id
      WHERE i.payment_id = p.id AND l.created_at > r.created_at
        -- after the clock was set back, older entries lie in the future
        AND l.created_at <= clock_timestamp()))`;

/** Nothing in this database tells of a created deal. */
const isUnsent = `p.payment_method = 'web3' AND NOT ${isOffered} AND NOT ${mayHaveDeal('p')}`;

/** This database knows all that was ever sent for the payment. */
const knowsAllSent = `NOT ${isBehindRestore('p.network_id')} AND NOT ${mayLackDiamond('p')}`;

/** A former choice of the checkout was paid, which never let this one go on: it does so once all of them have ended unpaid. */
const isFormerPaid = `EXISTS (SELECT 1 FROM payments f WHERE f.checkout_id = p.checkout_id AND f.status = 'completed')`;

/**
 * All guards. For a guard on the word of the deal, the binding of the same name holds the payments whose verdict at the
 * judged block is one of the guard's (`verdictsOfGuard`).
 */
export const guards: Readonly<Record<GuardName, Guard>> = {
  deal_exists: {
    means: 'The word says that the deal exists: open, paid or cancelled.',
    sql: 'p.id = ANY(:deal_exists)',
  },
  deal_paid: { means: 'The word says paid.', sql: 'p.id = ANY(:deal_paid)' },
  deal_void: {
    means: 'The word says that the deal can never be paid: cancelled, a tombstone, or other terms.',
    sql: 'p.id = ANY(:deal_void)',
  },
  deal_cancelled: { means: 'The word says cancelled, or is a tombstone.', sql: 'p.id = ANY(:deal_cancelled)' },
  deal_absent: {
    means: 'The word says that the deal does not exist, and the deal is not offered.',
    sql: `p.id = ANY(:deal_absent) AND NOT ${isOffered}`,
  },
  id_taken: { means: 'The word holds other terms.', sql: 'p.id = ANY(:id_taken)' },
  expired_unpaid: {
    means:
      'The word says neither paid nor cancelled and is no tombstone; the expiry is not after the time of the judged block.',
    sql: 'p.id = ANY(:expired_unpaid) AND p.expires_unix <= :judged_timestamp',
  },
  create_without_effect: {
    means: 'The newest create was mined without effect, and none was enqueued after it.',
    sql: `(SELECT l.outcome FROM ${lastCreate('p')} l) = 'no_effect'`,
  },
  payment_seen: {
    means: 'A log in a canonical block names the payment, or the word says paid.',
    sql: '(p.paid_block_number IS NOT NULL OR p.id = ANY(:deal_paid))',
  },
  cancel_accepted: { means: 'A cancel was accepted before.', sql: 'p.cancel_requested_at IS NOT NULL' },
  deal_stands: {
    means: 'No cancel was accepted, and the block of the deal still has its confirmations, or the deal is offered.',
    sql: `p.cancel_requested_at IS NULL AND (${isOffered} OR ${isDealConfirmed})`,
  },
  deal_lost: {
    means: 'No cancel was accepted, and the deal is in no block with its confirmations and is not offered.',
    sql: `p.cancel_requested_at IS NULL AND NOT ${isOffered} AND (${isDealConfirmed}) IS NOT TRUE`,
  },
  word_has_deal: {
    means: 'No cancel was accepted, and the word says that the deal exists, or the deal is offered.',
    sql: `p.cancel_requested_at IS NULL AND (${isOffered} OR p.id = ANY(:deal_exists))`,
  },
  word_has_no_deal: {
    means: 'No cancel was accepted, the word does not say that the deal exists, and the deal is not offered.',
    sql: `p.cancel_requested_at IS NULL AND NOT ${isOffered} AND p.id <> ALL(:deal_exists)`,
  },
  no_retry_in_hand: {
    means: 'The payment is on a chain, and no retry waits for something to happen to its transaction.',
    sql: `p.payment_method = 'web3' AND NOT ${isRetryInHand}`,
  },
  offchain: { means: 'The payment is by card or bank transfer.', sql: `p.payment_method <> 'web3'` },
  offchain_overdue: {
    means: 'The payment is by card or bank transfer, and its expiry has passed.',
    sql: `p.payment_method <> 'web3' AND p.expires_unix <= extract(epoch FROM clock_timestamp())`,
  },
  never_sent: {
    means:
      'The payment is on a chain, its deal is not offered, its create was never in a slot, and nothing is known of its deal. After a restore, the lost blocks are read, and the diamond of a payment from before is active.',
    sql: `${isUnsent} AND ${knowsAllSent}`,
  },
  offer_stored: {
    means:
      'A valid offer of the deal by a signer that has its role is stored, the diamond can take it, and no former choice of its order may still be paid.',
    sql: `${isOffered} AND NOT p.is_blocked AND ${isOfferable('p')}
      -- a count, because the planner would join an EXISTS with all offers
      AND (SELECT count(*) FROM offers o JOIN signer_accounts a ON a.id = o.account_id AND a.status = 'active'
        WHERE o.payment_id = p.id AND o.valid_until > ${databaseNow}) > 0`,
  },
  never_revealed: {
    means:
      'The deal is offered, nothing is known of it on the chain, and the complete record of reveals has none of it.',
    sql: `${isOffered} AND ${isRecordComplete} AND ${revealedUntil('p')} = 0 AND NOT ${mayHaveDeal('p')}`,
  },
  offers_over: {
    means:
      'The deal is offered, its word says that it does not exist, and the last revealed offer is not valid at the time of the judged block.',
    sql: `${isOffered} AND p.id = ANY(:offers_over) AND ${isRecordComplete} AND ${revealedUntil('p')} <= :judged_timestamp`,
  },
  absent_unsent: {
    means:
      'The deal is not offered, its word says that it does not exist, its create was never in a slot, and after a restore the lost blocks are read.',
    sql: `p.id = ANY(:absent_unsent) AND ${isUnsent} AND NOT ${isBehindRestore('p.network_id')}`,
  },
  former_choice: {
    means:
      'A former choice of its order may still be paid, or was paid, so nothing of the payment was ever sent or offered. After a restore, the lost blocks are read and nothing tells of its deal, which is not offered.',
    sql: `p.is_blocked AND (${isFormerPaid} OR (NOT ${mayHaveDeal('p')} AND CASE p.deal_mode WHEN 'created' THEN ${knowsAllSent}
      ELSE NOT ${isFromBefore('p')} END))`,
  },
};
