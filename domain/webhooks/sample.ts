/** Made-up payments and checkouts, with which merchants test how their receivers handle each event. */
import { ZERO_ADDRESS } from '../deal.ts';
import { checkoutTransitions, type CheckoutTransition } from '../checkouts/checkout.ts';
import type { CheckoutFacts } from '../checkouts/checkout-facts.ts';
import { isTerminal, notes, transitions, type PaymentStatus } from '../payment.ts';
import type { PaymentFacts } from '../payment-facts.ts';

/** The test event without a payment, not even a made-up one. */
export const plainTest = 'webhook.test';

/** The ids of a made-up payment that are real: those of its configuration. */
export type SamplePlace = Pick<PaymentFacts, 'node_id' | 'chain_id' | 'network_id' | 'wallet_id' | 'eip155'>;

/** Placeholders: no transaction has such a hash, and no deal is at the zero address. */
const [dealHash, paidHash] = ['0', 'f'].map((digit) => `0x${digit.repeat(64)}`) as [string, string];
const currencyId = '00000000-0000-4000-8000-000000000000';

/** The events of a payment up to an event of each type. */
const usual = ['payment.created', 'payment.ready', 'payment.processing', 'payment.completed', 'payment.reversed'];
const stories: Readonly<Record<string, readonly string[]>> = {
  'payment.reorged': [...usual.slice(0, 3), 'payment.reorged'],
  'payment.cancel_requested': [...usual.slice(0, 2), 'payment.cancel_requested'],
  'payment.canceled': [...usual.slice(0, 2), 'payment.cancel_requested', 'payment.canceled'],
  'payment.expired': [...usual.slice(0, 2), 'payment.expired'],
  'payment.failed': [...usual.slice(0, 1), 'payment.failed'],
  'payment.anomaly': [...usual.slice(0, 4), 'payment.anomaly'],
};

/** The status after an event. A note leaves the status, and is sent for a completed payment. */
const statusAfter = (event: string): PaymentStatus => {
  const isNote = Object.values(notes).some((note) => note.webhook === event);
  const moved = Object.values(transitions).find((transition) => transition.webhook === event);
  return isNote || moved === undefined ? 'completed' : moved.to;
};

/** The subject of a test event: a payment or a checkout. */
export interface Sample {
  readonly sequence: number;
  readonly payment: PaymentFacts | null;
  readonly checkout: CheckoutFacts | null;
}

interface MadeUp {
  /** A random UUID, which no payment or checkout has, because theirs are of version 7. */
  readonly id: string;
  readonly now: Date;
  readonly place: SamplePlace;
}

/** Makes up the payment or the checkout of a test event. */
export const makeSample = (event: string, madeUp: MadeUp): Sample => {
  const row = Object.values<CheckoutTransition>(checkoutTransitions).find(({ webhook }) => webhook === event);
  return row === undefined
    ? { ...samplePayment(event, madeUp), checkout: null }
    : { sequence: 3, payment: null, checkout: sampleCheckout(row, madeUp) };
};

const sampleCheckout = ({ to: status }: CheckoutTransition, { id, now, place }: MadeUp): CheckoutFacts => {
  const { payment } = samplePayment('payment.completed', { id, now, place });
  return {
    id,
    external_id: 'test',
    node_id: place.node_id,
    payment_group: 'product',
    payment_address: ZERO_ADDRESS,
    metadata: null,
    member_id: null,
    success_url: null,
    cancel_url: null,
    locale: null,
    on_chain_cancel: false,
    items: [],
    options: [{ ...payment, wallet_id: place.wallet_id ?? id }],
    expires_at: now,
    status,
    choices: 1,
    payments: [id],
    payment: status === 'completed' ? { ...payment, checkout_id: id, option_index: 0 } : null,
    cancel_requested_at: status === 'canceled' ? now : null,
    terminal_at: now,
    created_at: now,
    updated_at: now,
  };
};

const samplePayment = (
  event: string,
  { id, now, place }: MadeUp,
): { readonly sequence: number; readonly payment: PaymentFacts } => {
  const story = stories[event] ?? usual.slice(0, usual.indexOf(event) + 1);
  const status = statusAfter(event);
  const isPaid = status === 'processing' || status === 'completed';
  const payment: PaymentFacts = {
    ...place,
    id,
    external_id: 'test',
    member_id: null,
    currency_id: currencyId,
    currency_symbol: 'TEST',
    decimals: 6,
    price_units: '15000000',
    paid_price_units: '12500000',
    payment_method: 'web3',
    items: [],
    payment_group: 'product',
    payment_address: ZERO_ADDRESS,
    metadata: null,
    success_url: null,
    cancel_url: null,
    locale: null,
    retry: true,
    retry_count: 3,
    status,
    status_detail: status === 'failed' ? 'deal_not_created' : null,
    deal_id: '1',
    diamond_address: ZERO_ADDRESS,
    deal_tx_hash: story.includes('payment.ready') ? dealHash : null,
    paid_tx_hash: isPaid ? paidHash : null,
    paid_at: isPaid ? now : null,
    payer_address: isPaid ? ZERO_ADDRESS : null,
    terminal_at: isTerminal(status) ? now : null,
    expires_at: now,
    created_at: now,
    updated_at: now,
  };
  return { sequence: story.length, payment };
};
