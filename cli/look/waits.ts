import type { IntentLook, PaymentLook } from '../../db/operator/payments.ts';
import { waiting } from '../../domain/alerts/waiting.ts';
import { isTerminal, waitingDetails, type WaitingDetail } from '../../domain/payment.ts';
import type { Config } from '../../runtime/config.ts';
import { spanText, timeText } from '../command/text.ts';

/** A text of the documents for a terminal: without the marks of code, and without links to pages. */
const plain = (text: string): string => text.replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '').replaceAll('`', '');

/**
 * The remedy for a waiting reason; null: none, it ends by itself.
 * @param lane the network's name, and the address of the lane
 */
export const remedyFor = (
  detail: WaitingDetail,
  {
    network = 'NETWORK',
    address = 'ADDRESS',
  }: { readonly network?: string; readonly address?: string | undefined } = {},
): string | null => {
  const { remedy } = waiting[detail];
  return remedy === null ? null : plain(remedy).replaceAll('NETWORK', network).replaceAll('ADDRESS', address);
};

/** The namespace, and the origin of the Temporal UI; empty when it is unknown. */
export type TemporalUi = Config<'temporalUi' | 'temporalNamespace'>;

/** A line that leads to the workflows of a list filter: an address of the UI, or the filter to enter there. */
export const workflowsText = ({ temporalUi, temporalNamespace }: TemporalUi, filter: string): string =>
  temporalUi === ''
    ? `filter of the Temporal UI: ${filter}`
    : `${temporalUi}/namespaces/${encodeURIComponent(temporalNamespace)}/workflows?query=${encodeURIComponent(filter)}`;

/** The event that a payment waits for, and the remedy of an operator; null: none. */
export interface Wait {
  readonly what: string | null;
  readonly todo: string | null;
}

const isReason = (detail: string | null): detail is WaitingDetail =>
  (waitingDetails as readonly (string | null)[]).includes(detail);

const confirmationsText = (block: number, { head, confirmations }: PaymentLook): string =>
  `${Math.max(0, Math.min(confirmations, (head ?? block) - block + 1))} of ${confirmations} confirmations`;

const slow = 'if that lasts, carat lane show and carat doctor name the cause';

/** The wait for a transaction of Carat, by the newest intent with this purpose. */
const transactionWait = (payment: PaymentLook, intent: IntentLook | undefined): Wait => {
  if (intent === undefined || intent.state === 'settled' || intent.state === 'withdrawn') {
    return { what: 'the next step of its workflow', todo: 'if that lasts, look at its workflow, and at carat status' };
  }
  if (intent.state === 'queued') return { what: `a nonce in the lane of ${intent.lane}`, todo: slow };
  if (intent.block_number === null) {
    return { what: `a block for nonce ${intent.nonce} of ${intent.lane} (attempt ${intent.attempts})`, todo: slow };
  }
  const left = confirmationsText(intent.block_number, payment);
  return { what: `confirmations of block ${intent.block_number}: ${left}`, todo: null };
};

const pendingWait = (payment: PaymentLook, intents: readonly IntentLook[]): Wait => {
  if (payment.payment_method !== 'web3') return { what: 'its settlement by the merchant', todo: null };
  if (payment.deal_mode === 'offered') return { what: 'the signature of its offer', todo: slow };
  return transactionWait(
    payment,
    intents.findLast(({ purpose }) => purpose === 'create_deal'),
  );
};

const cancelWait = (payment: PaymentLook, intents: readonly IntentLook[]): Wait => {
  const cancel = intents.findLast(({ purpose }) => purpose === 'cancel_deal');
  const end = payment.offered?.revealed ?? null;
  if (cancel === undefined && end !== null && payment.deal_mode === 'offered') {
    return { what: `the end of the offer that its buyer may have, ${timeText(new Date(end * 1_000))}`, todo: null };
  }
  return transactionWait(payment, cancel);
};

/** The wait of an open payment. A payment that has ended waits for nothing. */
export const waitOf = (payment: PaymentLook, intents: readonly IntentLook[]): Wait => {
  const { status, status_detail: detail } = payment;
  if (isTerminal(status)) return { what: null, todo: null };
  if (isReason(detail)) {
    const since =
      payment.waiting_since === null
        ? ''
        : `, for ${spanText(Math.max(0, Math.floor((Date.now() - payment.waiting_since.getTime()) / 1_000)))}`;
    const todo = remedyFor(detail, { network: payment.network, address: intents.at(-1)?.lane });
    return { what: `${detail}${since}`, todo };
  }
  if (status === 'pending') return pendingWait(payment, intents);
  if (status === 'canceling') return cancelWait(payment, intents);
  if (status === 'awaiting_payment') {
    return { what: `its buyer, until ${timeText(payment.expires_at)}`, todo: null };
  }
  const block = payment.paid_block_number;
  const left = block === null ? '' : `of block ${block}: ${confirmationsText(block, payment)}`;
  return { what: `confirmations ${left}`.trim(), todo: null };
};
