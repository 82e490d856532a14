import type { CheckoutStatus } from './checkout.ts';
import { toNumber } from '../money.ts';
import { describePayment, toText, type PaymentFacts } from '../payment-facts.ts';
import type { PaymentGroup } from '../payment.ts';

/** An option of a checkout. Amounts are base units as text, addresses lower-case hex. */
export interface OptionFacts {
  readonly chain_id: string;
  readonly network_id: string;
  /** EIP-155 id of the network. */
  readonly eip155: string;
  readonly wallet_id: string;
  readonly currency_id: string;
  readonly currency_symbol: string;
  readonly decimals: number;
  readonly price_units: string;
  readonly paid_price_units: string;
  /** The payee at the creation of the checkout. */
  readonly payment_address: string;
}

/** An item of a checkout. The price is a decimal text in the currency of each option. */
export interface CheckoutItemFacts {
  readonly name: string;
  readonly price: string;
  readonly external_id: string | null;
}

/** The stored facts of a checkout that all its readers may see. */
export interface CheckoutFacts {
  readonly id: string;
  readonly external_id: string;
  readonly node_id: string;
  readonly payment_group: PaymentGroup;
  /** Null: the payout lock of each option decides. */
  readonly payment_address: string | null;
  readonly metadata: string | null;
  readonly member_id: string | null;
  readonly success_url: string | null;
  readonly cancel_url: string | null;
  readonly locale: string | null;
  readonly on_chain_cancel: boolean;
  readonly items: readonly CheckoutItemFacts[];
  readonly options: readonly OptionFacts[];
  readonly expires_at: Date;
  readonly status: CheckoutStatus;
  /** Number of choices so far. */
  readonly choices: number;
  /** Ids of the payments that the choices have made, oldest first. */
  readonly payments: readonly string[];
  /** The completed payment, else the newest open one; null without either. */
  readonly payment: (PaymentFacts & { readonly option_index: number }) | null;
  readonly cancel_requested_at: Date | null;
  readonly terminal_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/**
 * Describes a checkout for clients and webhooks, without secrets and personal data.
 * @param checksum formats an address with its EIP-55 checksum
 */
export const describeCheckout = (checkout: CheckoutFacts, checksum: (address: string) => string) => ({
  id: checkout.id,
  external_id: checkout.external_id,
  node_id: checkout.node_id,
  payment_group: checkout.payment_group,
  payment_address: checkout.payment_address === null ? null : checksum(checkout.payment_address),
  options: checkout.options.map((option) => ({
    network_id: option.network_id,
    eip155: Number(option.eip155),
    wallet_id: option.wallet_id,
    currency_id: option.currency_id,
    currency: option.currency_symbol,
    price: toNumber(BigInt(option.price_units), option.decimals),
    price_units: option.price_units,
    paid_price: toNumber(BigInt(option.paid_price_units), option.decimals),
    paid_price_units: option.paid_price_units,
    payment_address: checksum(option.payment_address),
  })),
  items: checkout.items.map(({ name, price, external_id }) => ({ name, price: Number(price), external_id })),
  metadata: checkout.metadata,
  member_id: checkout.member_id,
  success_url: checkout.success_url,
  cancel_url: checkout.cancel_url,
  locale: checkout.locale,
  on_chain_cancel: checkout.on_chain_cancel,
  expires_at: checkout.expires_at.toISOString(),
  status: checkout.status,
  option: checkout.payment?.option_index ?? null,
  choices: checkout.choices,
  payments: [...checkout.payments],
  payment: checkout.payment === null ? null : describePayment(checkout.payment, checksum),
  cancel_requested_at: toText(checkout.cancel_requested_at),
  completed_at: checkout.status === 'completed' ? toText(checkout.terminal_at) : null,
  created_at: checkout.created_at.toISOString(),
  updated_at: checkout.updated_at.toISOString(),
});
