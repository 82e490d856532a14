import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { payCall } from '../../chain/pure/pay-call.ts';
import { findWidgetPayment, type WidgetPaymentRow } from '../../db/payments/read.ts';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import { DomainError, found } from '../../domain/errors.ts';
import { toScaledInteger } from '../../domain/money.ts';
import type { WidgetPayment } from '../generated/openapi-types.ts';
import { invalidToken } from '../errors/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { transactionOf } from '../../domain/payment-facts.ts';

/**
 * Milliseconds after the end of a payment for which its token is valid, so that the buyer's page can show the outcome.
 */
const TOKEN_LIFE_AFTER_END_MS = 24 * 3_600_000;

/** Warning for buyers, the same for every payment. */
export const plainTransferWarning =
  'Pay only by the call in "contract". A plain transfer pays for nothing: sent to payment_address it reaches the payee and is ' +
  'not recognised, and sent to diamond_address it stays there until the operator of this service recovers it.';

/** The deal of a payment and its diamond. */
const dealOf = ({ deal_id, diamond_address, diamond_active }: WidgetPaymentRow) => {
  if (deal_id === null || diamond_address === null) {
    throw new DomainError('payment_not_payable', 'This payment is not paid on a chain');
  }
  if (!diamond_active) {
    // A native coin sent to an address without code would be stuck there.
    throw new DomainError('payment_not_payable', "The wallet's diamond is not active on this network yet");
  }
  return { id: deal_id, diamond: diamond_address };
};

const toWidgetPayment = (payment: WidgetPaymentRow, now: number): WidgetPayment => {
  const deal = dealOf(payment);
  const { token_address } = payment;
  const amount = BigInt(payment.paid_price_units);
  const expiresAt = BigInt(payment.expires_unix);
  const call = payCall({
    dealId: BigInt(deal.id),
    token: token_address ?? ZERO_ADDRESS,
    payee: payment.payment_address,
    payer: ZERO_ADDRESS,
    amount,
    expiresAt,
  });
  return {
    external_id: payment.external_id,
    node_id: payment.node_id,
    network_id: Number(payment.eip155),
    deal_id: Number(deal.id),
    ...toScaledInteger(amount, payment.decimals),
    payment_address: checksum(payment.payment_address),
    diamond_address: checksum(deal.diamond),
    currency: payment.currency_symbol,
    token_address: token_address === null ? null : checksum(token_address),
    amount: amount.toString(),
    decimals: payment.decimals,
    contract: {
      abi: [...call.abi] as Record<string, unknown>[],
      function_name: call.function_name,
      arguments: [...call.arguments],
      value: call.value,
    },
    status: payment.status,
    payable: payment.status === 'awaiting_payment' && payment.deal_in_block && BigInt(now) < expiresAt * 1_000n,
    expires_at: payment.expires_at.toISOString(),
    transaction_hash: transactionOf(payment),
    warning: plainTransferWarning,
  };
};

/** Data for the buyer's page. The guards have checked the token against the payment's id. */
export const createWidgetHandlers = ({ knex }: { readonly knex: Knex }): Pick<Handlers, 'getWidgetPayment'> => ({
  getWidgetPayment: async ({ params }) => {
    const payment = found(await findWidgetPayment(knex, params.id), 'payment');
    const now = Date.now();
    if (payment.terminal_at !== null && payment.terminal_at.getTime() + TOKEN_LIFE_AFTER_END_MS <= now) {
      throw invalidToken('The access token has expired');
    }
    return { status: 200, body: toWidgetPayment(payment, now) };
  },
});
