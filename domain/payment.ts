/**
 * The life of a payment: its statuses, every legal transition, and what each transition is called in the log and in
 * webhooks. The database writes a transition only if it is listed here.
 */

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

export type PaymentMethod = 'web3' | 'credit_card' | 'bank_transfer';
export type PaymentGroup = 'product' | 'listing_or_subscription';
export type ActorType = 'integration' | 'buyer' | 'chain' | 'system' | 'operator';

/** Why an open payment waits. None of these uses up a retry or fails a payment. */
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
  'network_unreachable',
  'endpoint_refuses',
  'outcome_unknown',
  'words_unreadable',
] as const;
export type WaitingDetail = (typeof waitingDetails)[number];
/** Why nothing can be had of a network: its endpoints do not answer, or answer that they refuse. */
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

/** Why an open payment went back. */
export const returnDetails = ['payment_not_borne_out'] as const;
export type ReturnDetail = (typeof returnDetails)[number];

export type StatusDetail = WaitingDetail | TerminalDetail | ReturnDetail;

/** One legal change of status with its names in the log and in webhooks. `from: null` is the creation. */
export interface Transition {
  readonly from: readonly (PaymentStatus | null)[];
  readonly to: PaymentStatus;
  readonly event: string | null;
  readonly message: string;
}

/** Every transition, by the log's `event_type`. */
export const transitions = {
  payment_created: { from: [null], to: 'pending', event: 'payment.created', message: 'Payment created' },
  deal_confirmed: {
    from: ['pending'],
    to: 'awaiting_payment',
    event: 'payment.ready',
    message: 'Deal confirmed on the chain; the buyer can pay',
  },
  deal_failed: {
    from: ['pending'],
    to: 'failed',
    event: 'payment.failed',
    message: 'The deal cannot be created',
  },
  deal_reorged: {
    from: ['awaiting_payment'],
    to: 'pending',
    event: 'payment.reorged',
    message: 'A deep reorganisation removed the deal; it is created again',
  },
  retry_requested: { from: ['pending'], to: 'pending', event: null, message: 'Retry requested' },
  payment_detected: {
    from: ['pending', 'awaiting_payment'],
    to: 'processing',
    event: 'payment.processing',
    message: 'Payment seen in a block',
  },
  payment_reorged: {
    from: ['processing'],
    to: 'awaiting_payment',
    event: 'payment.reorged',
    message: 'The block of the payment was reorganised away',
  },
  payment_reorged_to_pending: {
    from: ['processing'],
    to: 'pending',
    event: 'payment.reorged',
    message: 'The blocks of deal and payment were reorganised away',
  },
  payment_reorged_to_canceling: {
    from: ['processing'],
    to: 'canceling',
    event: 'payment.reorged',
    message: 'The block of the payment was reorganised away; the accepted cancel goes on',
  },
  payment_confirmed: {
    from: ['processing'],
    to: 'completed',
    event: 'payment.completed',
    message: 'Payment confirmed',
  },
  payment_expired: {
    from: ['pending', 'awaiting_payment', 'canceling'],
    to: 'expired',
    event: 'payment.expired',
    message: 'Expired unpaid',
  },
  payment_settled: {
    from: ['pending'],
    to: 'completed',
    event: 'payment.completed',
    message: 'Settled by the merchant',
  },
  payment_declined: {
    from: ['pending'],
    to: 'failed',
    event: 'payment.failed',
    message: 'Declined by the merchant',
  },
  cancel_requested: {
    from: ['pending', 'awaiting_payment'],
    to: 'canceling',
    event: 'payment.cancel_requested',
    message: 'Cancel requested',
  },
  cancel_confirmed: {
    from: ['canceling'],
    to: 'canceled',
    event: 'payment.canceled',
    message: 'Cancel confirmed',
  },
  cancel_lost_race: {
    from: ['canceling'],
    to: 'processing',
    event: 'payment.processing',
    message: 'The buyer paid before the cancel was mined',
  },
  cancel_foreign: {
    from: ['pending', 'awaiting_payment', 'canceling', 'processing'],
    to: 'canceled',
    event: 'payment.canceled',
    message: 'Canceled on the chain by an operator key, without a request to Carat',
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** What is logged and told of a payment without a change of its status. */
export const notes = {
  payment_reversed: {
    event: 'payment.reversed',
    message: 'A reorganisation removed the payment from the chain after its end; its status stays',
  },
  payment_anomaly: { event: 'payment.anomaly', message: 'Something happened on the chain that nobody requested' },
} as const satisfies Record<string, { readonly event: string; readonly message: string }>;

export type NoteName = keyof typeof notes;

/** Names that read the same in the log although their targets differ. */
const logNames = {
  payment_reorged_to_pending: 'payment_reorged',
  payment_reorged_to_canceling: 'payment_reorged',
  payment_declined: 'payment_settled',
} as const satisfies Partial<Record<TransitionName, TransitionName>>;

/** What the payment log calls a transition. */
export type LogEventType = Exclude<TransitionName, keyof typeof logNames> | NoteName;

/** The `event_type` a transition has in the payment log. */
export const logEventType = (name: TransitionName): LogEventType =>
  name in logNames ? logNames[name as keyof typeof logNames] : (name as LogEventType);

/** What the log tells beside the transitions, without a number of its own, and in which words. */
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

/** True when nothing can change the status any more. */
export const isTerminal = (status: PaymentStatus): boolean =>
  (terminalStatuses as readonly PaymentStatus[]).includes(status);
