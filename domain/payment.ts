/**
 * The life of a payment: its statuses, and one table of every transition. The database writes no other transition, and
 * `docs/payment-states.md` is generated from the table.
 */
import type { DealVerdict } from './deal.ts';

export const paymentStatuses = [
  'pending',
  'awaiting_payment',
  'processing',
  'completed',
  'expired',
  'canceling',
  'canceled',
  'failed',
] as const;

export type PaymentStatus = (typeof paymentStatuses)[number];

export const terminalStatuses = ['completed', 'expired', 'canceled', 'failed'] as const satisfies PaymentStatus[];

export const openStatuses = [
  'pending',
  'awaiting_payment',
  'processing',
  'canceling',
] as const satisfies PaymentStatus[];

/** The terminal statuses in which the buyer has not paid. */
export const unpaidStatuses = ['expired', 'canceled', 'failed'] as const satisfies PaymentStatus[];

/** The statuses in which `status_detail` names what the payment waits for. */
export const waitingStatuses = ['pending', 'canceling'] as const satisfies PaymentStatus[];

/**
 * How a payment's deal comes about: an operator's transaction creates it, or a signer offers it by a signature that the buyer's
 * payment carries.
 */
export const dealModes = ['created', 'offered'] as const;
export type DealMode = (typeof dealModes)[number];

export type PaymentMethod = 'web3' | 'credit_card' | 'bank_transfer';
export type PaymentGroup = 'product' | 'listing_or_subscription';
export type ActorType = 'integration' | 'buyer' | 'chain' | 'system' | 'operator';

/** Why an open payment waits. None of these uses up a retry or fails the payment. */
export const waitingDetails = [
  'diamond_missing',
  'diamond_updating',
  'simulation_failed',
  'network_paused',
  'operator_revoked',
  'operator_underfunded',
  'fees_above_ceiling',
  'lane_paused',
  'key_missing',
  'signer_revoked',
  'signing_stalled',
  'network_unreachable',
  'endpoint_refuses',
  'outcome_unknown',
  'words_unreadable',
  'former_choice_open',
] as const;
export type WaitingDetail = (typeof waitingDetails)[number];
/** Why Carat cannot use a network: its endpoints do not respond, or refuse the requests. */
export type NetworkTrouble = Extract<WaitingDetail, 'network_unreachable' | 'endpoint_refuses'>;

/** Why a payment ended as it did. */
export const terminalDetails = [
  'deal_conflict',
  'deal_not_created',
  'declined',
  'canceled_before_creation',
  'canceled_foreign',
] as const;
export type TerminalDetail = (typeof terminalDetails)[number];

/** Why a payment that was seen is open again. */
export const returnDetails = ['payment_not_borne_out'] as const;
export type ReturnDetail = (typeof returnDetails)[number];

export type StatusDetail = WaitingDetail | TerminalDetail | ReturnDetail;

/** The layers that write transitions. The lane writes none: the watcher judges what the lane sent. */
export type Writer =
  /** A request of a merchant, or of a buyer who chooses, in the transaction of the request. */
  | 'api'
  /** The checkout of the payment: a new choice, or the end of another payment of the checkout, in the transaction of that. */
  | 'checkout'
  /** The reader of a network's blocks, in the transaction of a round or of a judgement. */
  | 'watcher'
  /** A step of a payment's workflow. */
  | 'workflow'
  /** The run that signs the offers of a network, in the transaction that stores them. */
  | 'signer'
  /** A worker's periodic pass over the work that workflows have left undone. */
  | 'recovery';

/** The names of the guards. `db/payments/guards.ts` holds the SQL condition of each. */
export type GuardName =
  | 'deal_exists'
  | 'deal_paid'
  | 'deal_void'
  | 'deal_cancelled'
  | 'deal_absent'
  | 'id_taken'
  | 'expired_unpaid'
  | 'create_without_effect'
  | 'payment_seen'
  | 'cancel_accepted'
  | 'deal_stands'
  | 'deal_lost'
  | 'word_has_deal'
  | 'word_has_no_deal'
  | 'no_retry_in_hand'
  | 'offchain'
  | 'offchain_overdue'
  | 'never_sent'
  | 'offer_stored'
  | 'never_revealed'
  | 'offers_over'
  | 'absent_unsent'
  | 'former_choice';

/** One legal change of status. */
export interface Transition {
  /** The statuses that it leaves; null is the creation. */
  readonly from: readonly (PaymentStatus | null)[];
  readonly to: PaymentStatus;
  /** The event that causes it. */
  readonly trigger: string;
  /** The further condition on the payment; null for none. */
  readonly guard: GuardName | null;
  /** Whether its log entry names a block, and how deep that block is. */
  readonly block: 'none' | 'seen' | 'confirmed';
  /** Its effect on `status_detail`: none, null, or a reason. A created payment brings its own detail. */
  readonly detail: 'keep' | 'clear' | TerminalDetail | ReturnDetail;
  /** The `event_type` of its log entry. */
  readonly log: string;
  /** The message of its log entry. */
  readonly message: string;
  /** The type of its webhook event; null for none. */
  readonly webhook: string | null;
  readonly writer: readonly Writer[];
}

/* What several ways to one end tell alike. */
const cancelConfirmed = { log: 'cancel_confirmed', message: 'Cancel confirmed', webhook: 'payment.canceled' } as const;
const expired = { log: 'payment_expired', message: 'Expired unpaid', webhook: 'payment.expired' } as const;
const dealFailed = { log: 'deal_failed', message: 'The deal cannot be created', webhook: 'payment.failed' } as const;
/** The word of the deal contradicts the log of the payment. */
const untrue = {
  block: 'seen',
  detail: 'payment_not_borne_out',
  log: 'payment_reorged',
  message: 'The deal was not paid: the log that reported the payment was false',
  webhook: 'payment.reorged',
  writer: ['watcher'],
} as const;

/** The table. If several rows fit, the watcher writes them one after another, in the order of a payment's life. */
export const transitions = {
  payment_created: {
    from: [null],
    to: 'pending',
    trigger: 'A merchant creates the payment, or the buyer of an order chooses it',
    guard: null,
    block: 'none',
    detail: 'keep',
    log: 'payment_created',
    message: 'Payment created',
    webhook: 'payment.created',
    writer: ['api'],
  },
  deal_confirmed: {
    from: ['pending'],
    to: 'awaiting_payment',
    trigger: 'The deal has its confirmations',
    guard: 'deal_exists',
    block: 'confirmed',
    detail: 'clear',
    log: 'deal_confirmed',
    message: 'Deal confirmed on the chain; the buyer can pay',
    webhook: 'payment.ready',
    writer: ['watcher'],
  },
  deal_offered: {
    from: ['pending'],
    to: 'awaiting_payment',
    trigger: 'A signed offer of the deal is stored',
    guard: 'offer_stored',
    block: 'none',
    detail: 'clear',
    log: 'deal_offered',
    message: 'Deal offered; the buyer can pay',
    webhook: 'payment.ready',
    writer: ['signer'],
  },
  deal_conflict: {
    from: ['pending', 'awaiting_payment'],
    to: 'failed',
    trigger: 'Other terms hold the id of the deal',
    guard: 'id_taken',
    block: 'none',
    detail: 'deal_conflict',
    ...dealFailed,
    writer: ['watcher'],
  },
  deal_failed: {
    from: ['pending'],
    to: 'failed',
    trigger: 'The create had no effect, and no retry is left',
    guard: 'create_without_effect',
    block: 'none',
    detail: 'deal_not_created',
    ...dealFailed,
    writer: ['watcher'],
  },
  deal_reorged: {
    from: ['awaiting_payment'],
    to: 'pending',
    trigger: 'A reorganisation deeper than the confirmations removes the deal',
    guard: 'deal_absent',
    block: 'confirmed',
    detail: 'clear',
    log: 'deal_reorged',
    message: 'A deep reorganisation removed the deal; it is created again',
    webhook: 'payment.reorged',
    writer: ['watcher'],
  },
  retry_requested: {
    from: ['pending'],
    to: 'pending',
    trigger: 'A merchant requests a retry of the deal',
    guard: 'no_retry_in_hand',
    block: 'none',
    detail: 'keep',
    log: 'retry_requested',
    message: 'Retry requested',
    webhook: null,
    writer: ['api'],
  },
  payment_detected: {
    from: ['pending', 'awaiting_payment'],
    to: 'processing',
    trigger: 'A block holds the payment, or the word of the deal says paid',
    guard: 'payment_seen',
    block: 'seen',
    detail: 'clear',
    log: 'payment_detected',
    message: 'Payment seen in a block',
    webhook: 'payment.processing',
    writer: ['watcher'],
  },
  payment_reorged: {
    from: ['processing'],
    to: 'awaiting_payment',
    trigger: 'A reorganisation removes the block of the payment; the deal keeps its confirmations, or is offered',
    guard: 'deal_stands',
    block: 'seen',
    detail: 'clear',
    log: 'payment_reorged',
    message: 'The block of the payment was reorganised away',
    webhook: 'payment.reorged',
    writer: ['watcher'],
  },
  payment_reorged_to_pending: {
    from: ['processing'],
    to: 'pending',
    trigger: 'A reorganisation removes the block of the payment; the deal has no confirmations',
    guard: 'deal_lost',
    block: 'seen',
    detail: 'clear',
    log: 'payment_reorged',
    message: 'The blocks of deal and payment were reorganised away',
    webhook: 'payment.reorged',
    writer: ['watcher'],
  },
  payment_reorged_to_canceling: {
    from: ['processing'],
    to: 'canceling',
    trigger: 'A reorganisation removes the block of the payment; a cancel is accepted',
    guard: 'cancel_accepted',
    block: 'seen',
    detail: 'clear',
    log: 'payment_reorged',
    message: 'The block of the payment was reorganised away; the accepted cancel goes on',
    webhook: 'payment.reorged',
    writer: ['watcher'],
  },
  payment_untrue: {
    from: ['processing'],
    to: 'awaiting_payment',
    trigger: 'The word of the deal contradicts the log of the payment; the deal exists, or is offered',
    guard: 'word_has_deal',
    ...untrue,
  },
  payment_untrue_to_pending: {
    from: ['processing'],
    to: 'pending',
    trigger: 'The word of the deal contradicts the log of the payment; the deal does not exist',
    guard: 'word_has_no_deal',
    ...untrue,
  },
  payment_untrue_to_canceling: {
    from: ['processing'],
    to: 'canceling',
    trigger: 'The word of the deal contradicts the log of the payment; a cancel is accepted',
    guard: 'cancel_accepted',
    ...untrue,
  },
  payment_confirmed: {
    from: ['processing'],
    to: 'completed',
    trigger: 'The payment has its confirmations',
    guard: 'deal_paid',
    block: 'confirmed',
    detail: 'clear',
    log: 'payment_confirmed',
    message: 'Payment confirmed',
    webhook: 'payment.completed',
    writer: ['watcher'],
  },
  payment_expired: {
    from: ['pending', 'awaiting_payment', 'canceling'],
    to: 'expired',
    trigger: 'A confirmed block is past the expiry, and the deal is not paid',
    guard: 'expired_unpaid',
    block: 'confirmed',
    detail: 'clear',
    ...expired,
    writer: ['watcher'],
  },
  payment_expired_offchain: {
    from: ['pending', 'canceling'],
    to: 'expired',
    trigger: 'The expiry passes by the clock of the database',
    guard: 'offchain_overdue',
    block: 'none',
    detail: 'clear',
    ...expired,
    writer: ['workflow', 'recovery'],
  },
  payment_settled: {
    from: ['pending'],
    to: 'completed',
    trigger: 'A merchant settles the off-chain payment as completed',
    guard: 'offchain',
    block: 'none',
    detail: 'clear',
    log: 'payment_settled',
    message: 'Settled by the merchant',
    webhook: 'payment.completed',
    writer: ['api'],
  },
  payment_declined: {
    from: ['pending'],
    to: 'failed',
    trigger: 'A merchant settles the off-chain payment as failed',
    guard: 'offchain',
    block: 'none',
    detail: 'declined',
    log: 'payment_settled',
    message: 'Declined by the merchant',
    webhook: 'payment.failed',
    writer: ['api'],
  },
  cancel_requested: {
    from: ['pending', 'awaiting_payment'],
    to: 'canceling',
    trigger: 'A merchant cancels the payment or its order, or the buyer chooses anew',
    guard: null,
    block: 'none',
    detail: 'clear',
    log: 'cancel_requested',
    message: 'Cancel requested',
    webhook: 'payment.cancel_requested',
    writer: ['api'],
  },
  cancel_confirmed: {
    from: ['canceling'],
    to: 'canceled',
    trigger: 'The cancel has its confirmations, or the deal can never exist',
    guard: 'deal_void',
    block: 'confirmed',
    detail: 'clear',
    ...cancelConfirmed,
    writer: ['watcher'],
  },
  cancel_offchain: {
    from: ['canceling'],
    to: 'canceled',
    trigger: 'The payment is off-chain: no transaction is needed',
    guard: 'offchain',
    block: 'none',
    detail: 'clear',
    ...cancelConfirmed,
    writer: ['workflow'],
  },
  cancel_unsent: {
    from: ['canceling'],
    to: 'canceled',
    trigger: 'The deal was never in a slot: no transaction is needed',
    guard: 'never_sent',
    block: 'none',
    detail: 'canceled_before_creation',
    ...cancelConfirmed,
    writer: ['workflow', 'checkout'],
  },
  cancel_unrevealed: {
    from: ['canceling'],
    to: 'canceled',
    trigger: 'No offer of the deal was revealed: no transaction is needed',
    guard: 'never_revealed',
    block: 'none',
    detail: 'canceled_before_creation',
    ...cancelConfirmed,
    writer: ['workflow', 'checkout'],
  },
  choice_dropped: {
    from: ['pending', 'canceling'],
    to: 'canceled',
    trigger:
      'The order has no need of it: a former choice was paid, the buyer chooses anew, or the merchant cancels the order',
    guard: 'former_choice',
    block: 'none',
    detail: 'canceled_before_creation',
    log: 'choice_dropped',
    message: 'Canceled while it waited for the end of a former choice',
    webhook: 'payment.canceled',
    writer: ['checkout', 'workflow'],
  },
  cancel_offers_over: {
    from: ['canceling'],
    to: 'canceled',
    trigger: 'A confirmed block is past the last revealed offer, and the deal does not exist',
    guard: 'offers_over',
    block: 'confirmed',
    detail: 'clear',
    ...cancelConfirmed,
    writer: ['watcher'],
  },
  cancel_absent: {
    from: ['canceling'],
    to: 'canceled',
    trigger: 'After a restore, the lost blocks are read, and the deal does not exist: no transaction is needed',
    guard: 'absent_unsent',
    block: 'confirmed',
    detail: 'canceled_before_creation',
    ...cancelConfirmed,
    writer: ['watcher'],
  },
  cancel_lost_race: {
    from: ['canceling'],
    to: 'processing',
    trigger: 'The buyer pays before the cancel is mined',
    guard: 'payment_seen',
    block: 'seen',
    detail: 'clear',
    log: 'cancel_lost_race',
    message: 'The buyer paid before the cancel was mined',
    webhook: 'payment.processing',
    writer: ['watcher'],
  },
  cancel_foreign: {
    from: ['pending', 'awaiting_payment', 'processing'],
    to: 'canceled',
    trigger: 'An operator key cancels the deal on the chain without a request to Carat',
    guard: 'deal_cancelled',
    block: 'confirmed',
    detail: 'canceled_foreign',
    log: 'cancel_foreign',
    message: 'Canceled on the chain by an operator key, without a request to Carat',
    webhook: 'payment.canceled',
    writer: ['watcher'],
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** The transitions that a layer writes. */
export type WrittenBy<Layer extends Writer> = {
  [Name in TransitionName]: Layer extends (typeof transitions)[Name]['writer'][number] ? Name : never;
}[TransitionName];

/** For each guard that depends on the word of a deal: the verdicts under which it holds. */
export const verdictsOfGuard = {
  deal_exists: ['open', 'paid', 'cancelled'],
  deal_paid: ['paid'],
  deal_void: ['cancelled', 'tombstone', 'conflict'],
  deal_cancelled: ['cancelled', 'tombstone'],
  deal_absent: ['absent'],
  offers_over: ['absent'],
  absent_unsent: ['absent'],
  id_taken: ['conflict'],
  expired_unpaid: ['absent', 'open', 'conflict'],
} as const satisfies Partial<Record<GuardName, readonly DealVerdict[]>>;

export type WordGuard = keyof typeof verdictsOfGuard;

/** Log entries and webhook events that change no status. The watcher writes them. */
export const notes = {
  payment_reversed: {
    trigger: 'A reorganisation removes the payment after its end',
    message: 'A reorganisation removed the payment from the chain after its end; its status stays',
    webhook: 'payment.reversed',
  },
  payment_anomaly: {
    trigger: 'Something happens on the chain that nobody requested',
    message: 'Something happened on the chain that nobody requested',
    webhook: 'payment.anomaly',
  },
} as const satisfies Record<string, Pick<Transition, 'trigger' | 'message'> & { readonly webhook: string }>;

export type NoteName = keyof typeof notes;

/** The `event_type` of a log entry that has a sequence. */
export type LogEventType = (typeof transitions)[TransitionName]['log'] | NoteName;

/** The webhook events that payments cause. */
export type PaymentEvent =
  NonNullable<(typeof transitions)[TransitionName]['webhook']> | (typeof notes)[NoteName]['webhook'];

/** The log entries without a sequence, and their messages. */
export const logNotes = {
  waiting_started: 'The payment is waiting',
  waiting_ended: 'The payment is no longer waiting',
  transaction_sent: 'Transaction sent',
  transaction_bumped: 'Transaction sent again with higher fees',
  transaction_mined: 'Transaction mined',
  transaction_confirmed: 'Transaction confirmed',
  transaction_reorged: 'The block of the transaction was reorganised away',
} as const;

export type LogNoteType = keyof typeof logNotes;

/** True when no transition leaves the status. */
export const isTerminal = (status: PaymentStatus): boolean =>
  (terminalStatuses as readonly PaymentStatus[]).includes(status);
