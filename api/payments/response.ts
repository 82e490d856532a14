import { checksum } from '../../chain/pure/address.ts';
import type { PaymentRecord } from '../../db/payments/model.ts';
import { toMember } from '../../domain/member.ts';
import { toNumber } from '../../domain/money.ts';
import type { Payment } from '../generated/openapi-types.ts';

/** A payment for the audit log: text leaves out what is undefined, a secret and personal data. */
export const auditedPayment = (payment: Payment) => ({
  ...payment,
  access_token: undefined,
  client_ip: undefined,
  member: undefined,
});

/** What the answer needs besides the payment. */
export interface PaymentResponseDeps {
  /** Makes the token by which the widget opens a payment. */
  readonly widgetTokens: { issue(paymentId: string): string };
}

/** A stored payment, or one about to be, as clients see it. */
export type ToPayment = (payment: PaymentRecord) => Payment;

/** The buyer's transaction once it was seen, until then the deal's; none where a deal was paid and nobody told by which. */
export const transactionOf = ({ status, paid_tx_hash, deal_tx_hash }: PaymentRecord): string | null =>
  paid_tx_hash ?? (status === 'completed' ? null : deal_tx_hash);

/** The one shape a payment has wherever it is answered. */
export const createPaymentResponse =
  ({ widgetTokens }: PaymentResponseDeps): ToPayment =>
  (payment) => {
    const web3 = payment.payment_method === 'web3';
    const amount = (units: string): number => toNumber(BigInt(units), payment.decimals);
    return {
      id: payment.id,
      external_id: payment.external_id,
      node_id: payment.node_id,
      chain_id: payment.chain_id,
      network_id: payment.network_id,
      wallet_id: payment.wallet_id,
      member_id: payment.member_id,
      member: payment.member === null ? null : toMember(payment.member),
      currency_id: payment.currency_id,
      price: amount(payment.price_units),
      price_units: payment.price_units,
      paid_price: amount(payment.paid_price_units),
      paid_price_units: payment.paid_price_units,
      payment_method: payment.payment_method,
      payment_group: payment.payment_group,
      payment_address: web3 ? checksum(payment.payment_address) : payment.payment_address,
      items: payment.items.map((item) => ({
        name: item.name,
        price: amount(item.price_units),
        price_units: item.price_units,
        external_id: item.external_id,
      })),
      metadata: payment.metadata,
      expires_at: payment.expires_at.toISOString(),
      retry: payment.retry,
      retry_count: payment.retry_count,
      client_ip: payment.client_ip,
      status: payment.status,
      status_detail: payment.status_detail,
      deal_id: payment.deal_id === null ? null : Number(payment.deal_id),
      diamond_address: payment.diamond_address === null ? null : checksum(payment.diamond_address),
      transaction_hash: transactionOf(payment),
      access_token: widgetTokens.issue(payment.id),
      // A link is answered once there is a page to open.
      checkout_url: null,
      created_at: payment.created_at.toISOString(),
      updated_at: payment.updated_at.toISOString(),
    };
  };
