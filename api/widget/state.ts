import { checksum } from '../../chain/pure/address.ts';
import type { WidgetPaymentRow } from '../../db/widget/rows.ts';
import { DomainError } from '../../domain/errors.ts';
import { toMerchant } from '../branding/branding.ts';
import { invalidToken } from '../errors/errors.ts';
import type { WidgetPaymentState } from '../generated/openapi-types.ts';

/**
 * Milliseconds after the end of a payment for which its token is valid, so that the buyer's page can show the outcome.
 */
const TOKEN_LIFE_AFTER_END_MS = 24 * 3_600_000;

/** The time at which the token of a payment ends, in Unix milliseconds; null while the payment is open. */
export const tokenEndOf = ({ terminal_at: end }: Pick<WidgetPaymentRow, 'terminal_at'>): number | null =>
  end === null ? null : end.getTime() + TOKEN_LIFE_AFTER_END_MS;

/**
 * The payment, whose token still opens it.
 * @throws ApiError invalid_token a day after the end of the payment
 */
export const opened = (payment: WidgetPaymentRow, now: number): WidgetPaymentRow => {
  const end = tokenEndOf(payment);
  if (end !== null && end <= now) throw invalidToken('The access token has expired');
  return payment;
};

/** The id of the payment's deal. */
export const dealIdOf = ({ deal_id: id }: WidgetPaymentRow): string => {
  if (id === null) throw new DomainError('payment_not_payable', 'This payment is not paid on a chain');
  return id;
};

/** The confirmations that the buyer's transaction needs and has, in blocks. */
const confirmationsOf = ({ status, confirmations: needed, confirmations_seen: seen }: WidgetPaymentRow) => ({
  needed,
  seen: status === 'completed' ? needed : Math.min(seen ?? 0, needed),
});

/** True while the buyer's call would be accepted, for an offered deal once it has the offer. */
const isPayable = (payment: WidgetPaymentRow, now: number): boolean =>
  payment.status === 'awaiting_payment' &&
  payment.diamond_active &&
  (payment.deal_mode === 'offered' || payment.deal_in_block) &&
  BigInt(now) < BigInt(payment.expires_unix) * 1_000n;

/**
 * A payment as its buyer's page shows it: no offer, and nothing of the merchant's own.
 * @param now Unix milliseconds
 * @param publicUrl public origin of the API, without a trailing slash
 * @throws DomainError payment_not_payable for a payment that is not on a chain
 */
export const toWidgetState = (payment: WidgetPaymentRow, now: number, publicUrl: string): WidgetPaymentState => {
  dealIdOf(payment);
  const { token_address: token, diamond_address: diamond, paid_tx_hash: paidBy, payer_address: payer } = payment;
  return {
    id: payment.id,
    external_id: payment.external_id,
    node_id: payment.node_id,
    status: payment.status,
    status_detail: payment.status_detail,
    payable: isPayable(payment, now),
    network_id: Number(payment.eip155),
    network: {
      name: payment.network_name,
      native_symbol: payment.native_symbol,
      explorer_url: payment.explorer_url,
      rpc_urls: [...payment.public_rpc_urls],
      block_time_ms: payment.block_time_ms,
    },
    currency: payment.currency_symbol,
    amount: payment.paid_price_units,
    decimals: payment.decimals,
    token_address: token === null ? null : checksum(token),
    payment_address: checksum(payment.payment_address),
    diamond_address: diamond === null || !payment.diamond_active ? null : checksum(diamond),
    confirmations: confirmationsOf(payment),
    items: payment.items.map(({ name, price_units: units }) => ({ name, amount: units })),
    // Without a transaction, nothing proves the payer.
    payer: paidBy === null || payer === null ? null : checksum(payer),
    transaction_hash: paidBy,
    expires_at: payment.expires_at.toISOString(),
    server_time: new Date(now).toISOString(),
    merchant: toMerchant(payment.merchant, publicUrl),
    success_url: payment.success_url,
    cancel_url: payment.cancel_url,
    locale: payment.locale,
    checkout_id: payment.checkout_id,
  };
};
