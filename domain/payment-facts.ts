import { toNumber } from './money.ts';
import type { PaymentGroup, PaymentMethod, PaymentStatus, StatusDetail } from './payment.ts';

/** The stored facts of a payment that all its readers may see. Amounts are base units as text, addresses lower-case hex. */
export interface PaymentFacts {
  readonly id: string;
  readonly external_id: string;
  readonly node_id: string;
  readonly chain_id: string;
  readonly network_id: string;
  readonly wallet_id: string | null;
  readonly member_id: string | null;
  readonly currency_id: string;
  readonly decimals: number;
  readonly price_units: string;
  readonly paid_price_units: string;
  readonly payment_method: PaymentMethod;
  readonly payment_group: PaymentGroup;
  readonly payment_address: string;
  readonly items: readonly {
    readonly name: string;
    readonly price_units: string;
    readonly external_id: string | null;
  }[];
  readonly metadata: string | null;
  /** Where the buyer's page leads after the payment, and without one. */
  readonly success_url: string | null;
  readonly cancel_url: string | null;
  /** Language of the page, BCP 47. */
  readonly locale: string | null;
  readonly expires_at: Date;
  readonly retry: boolean;
  readonly retry_count: number;
  readonly status: PaymentStatus;
  readonly status_detail: StatusDetail | null;
  readonly deal_id: string | null;
  readonly diamond_address: string | null;
  readonly deal_tx_hash: string | null;
  readonly paid_tx_hash: string | null;
  /** Timestamp of the block. */
  readonly paid_at: Date | null;
  readonly payer_address: string | null;
  readonly currency_symbol: string;
  /** EIP-155 id of the network. */
  readonly eip155: string;
  readonly terminal_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** The checkout whose buyer chose it; null for a payment that a merchant created. Absent in events of earlier versions. */
  readonly checkout_id?: string | null;
}

/** The buyer's transaction, or the deal's until that is known; null for a completed payment whose transaction is unknown. */
export const transactionOf = ({
  status,
  paid_tx_hash,
  deal_tx_hash,
}: Pick<PaymentFacts, 'status' | 'paid_tx_hash' | 'deal_tx_hash'>): string | null =>
  paid_tx_hash ?? (status === 'completed' ? null : deal_tx_hash);

/** A time as clients see it. */
export const toText = (time: Date | null): string | null => time?.toISOString() ?? null;

/**
 * Describes a payment for clients and webhooks, without secrets and personal data.
 * @param checksum formats an address with its EIP-55 checksum
 */
export const describePayment = (payment: PaymentFacts, checksum: (address: string) => string) => {
  const amount = (units: string): number => toNumber(BigInt(units), payment.decimals);
  return {
    id: payment.id,
    external_id: payment.external_id,
    node_id: payment.node_id,
    chain_id: payment.chain_id,
    network_id: payment.network_id,
    eip155: Number(payment.eip155),
    wallet_id: payment.wallet_id,
    member_id: payment.member_id,
    currency_id: payment.currency_id,
    currency: payment.currency_symbol,
    price: amount(payment.price_units),
    price_units: payment.price_units,
    paid_price: amount(payment.paid_price_units),
    paid_price_units: payment.paid_price_units,
    payment_method: payment.payment_method,
    payment_group: payment.payment_group,
    payment_address: payment.payment_method === 'web3' ? checksum(payment.payment_address) : payment.payment_address,
    items: payment.items.map((item) => ({
      name: item.name,
      price: amount(item.price_units),
      price_units: item.price_units,
      external_id: item.external_id,
    })),
    metadata: payment.metadata,
    success_url: payment.success_url,
    cancel_url: payment.cancel_url,
    locale: payment.locale,
    expires_at: payment.expires_at.toISOString(),
    retry: payment.retry,
    retry_count: payment.retry_count,
    status: payment.status,
    status_detail: payment.status_detail,
    deal_id: payment.deal_id === null ? null : Number(payment.deal_id),
    diamond_address: payment.diamond_address === null ? null : checksum(payment.diamond_address),
    transaction_hash: transactionOf(payment),
    deal_transaction_hash: payment.deal_tx_hash,
    // Without a transaction, nothing proves the time and the payer that an endpoint reported.
    paid_at: payment.paid_tx_hash === null ? null : toText(payment.paid_at),
    payer: payment.paid_tx_hash === null || payment.payer_address === null ? null : checksum(payment.payer_address),
    completed_at: payment.status === 'completed' ? toText(payment.terminal_at) : null,
    // Its fragment is the access token, so only answers to the merchant have it.
    checkout_url: null as string | null,
    checkout_id: payment.checkout_id ?? null,
    created_at: payment.created_at.toISOString(),
    updated_at: payment.updated_at.toISOString(),
  };
};
