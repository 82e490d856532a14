import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { approvalOf, emptyOffer, payCall } from '../../chain/pure/pay-call.ts';
import { payErrors } from '../../chain/pure/pay-errors.ts';
import { findWidgetPayment, type WidgetPaymentRow } from '../../db/payments/read.ts';
import { createReveal } from '../../db/offers/reveal.ts';
import { ZERO_ADDRESS, type Offer } from '../../domain/deal.ts';
import { DomainError, found } from '../../domain/errors.ts';
import { toScaledInteger } from '../../domain/money.ts';
import type { Encryption } from '../../encryption.ts';
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

/** Pauses before the current offer is looked for again while a signer signs it, in milliseconds. */
const PAUSES_MS = [30, 60, 120, 240, 480];

/**
 * The current offer of a payment that awaits its payment with an offered deal; null where no signer has signed one in time, and for
 * payments that are past that.
 * @throws DomainError payment_not_payable before the first offer
 */
const offerOf = async (
  reveal: ReturnType<typeof createReveal>,
  { id, status }: WidgetPaymentRow,
): Promise<Offer | null> => {
  if (status === 'pending') throw new DomainError('payment_not_payable', 'The deal of the payment is not offered yet');
  if (status !== 'awaiting_payment') return null;
  for (const pause of PAUSES_MS) {
    const offer = await reveal(id);
    if (offer !== null) return offer;
    await delay(pause);
  }
  return null;
};

/** The confirmations that the buyer's transaction needs and has, in blocks. */
const confirmationsOf = ({ status, confirmations: needed, confirmations_seen: seen }: WidgetPaymentRow) => ({
  needed,
  seen: status === 'completed' ? needed : Math.min(seen ?? 0, needed),
});

/** @param offer of a payable offered deal; undefined for a created deal */
const toWidgetPayment = (payment: WidgetPaymentRow, now: number, offer?: Offer | null): WidgetPayment => {
  const deal = dealOf(payment);
  const { token_address } = payment;
  const amount = BigInt(payment.paid_price_units);
  const expiresAt = BigInt(payment.expires_unix);
  const isAhead = BigInt(now) < expiresAt * 1_000n;
  const isThere = offer === undefined ? payment.deal_in_block : offer !== null;
  const payable = payment.status === 'awaiting_payment' && isThere && isAhead;
  const terms = { token: token_address ?? ZERO_ADDRESS, payee: payment.payment_address, payer: ZERO_ADDRESS };
  const call = payCall(
    { dealId: BigInt(deal.id), ...terms, amount, expiresAt },
    offer === undefined ? undefined : ((payable ? offer : null) ?? emptyOffer),
  );
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
      data: call.data,
      value: call.value,
      errors: [...payErrors],
    },
    approval: token_address === null ? null : approvalOf(deal.diamond, amount),
    network: {
      name: payment.network_name,
      native_symbol: payment.native_symbol,
      explorer_url: payment.explorer_url,
      rpc_urls: [...payment.public_rpc_urls],
      block_time_ms: payment.block_time_ms,
    },
    confirmations: confirmationsOf(payment),
    // Without a transaction, nothing proves the payer.
    payer: payment.paid_tx_hash === null || payment.payer_address === null ? null : checksum(payment.payer_address),
    items: payment.items.map(({ name, price_units: units }) => ({ name, amount: units })),
    status: payment.status,
    payable,
    offer_valid_until: payable && offer ? new Date(Number(offer.validUntil) * 1_000).toISOString() : null,
    expires_at: payment.expires_at.toISOString(),
    server_time: new Date(now).toISOString(),
    transaction_hash: transactionOf(payment),
    warning: plainTransferWarning,
  };
};

interface WidgetDeps {
  readonly knex: Knex;
  /** Decrypts offers. */
  readonly encryption: Encryption;
}

/** Data for the buyer's page. The guards have checked the token against the payment's id. */
export const createWidgetHandlers = ({ knex, encryption }: WidgetDeps): Pick<Handlers, 'getWidgetPayment'> => {
  const reveal = createReveal(knex, encryption);
  return {
    getWidgetPayment: async ({ params }) => {
      const payment = found(await findWidgetPayment(knex, params.id), 'payment');
      const now = Date.now();
      if (payment.terminal_at !== null && payment.terminal_at.getTime() + TOKEN_LIFE_AFTER_END_MS <= now) {
        throw invalidToken('The access token has expired');
      }
      if (payment.deal_mode === 'created') return { status: 200, body: toWidgetPayment(payment, now) };
      const offer = await offerOf(reveal, payment);
      // It may have changed while its offer was awaited.
      const shown = offer === null ? found(await findWidgetPayment(knex, params.id), 'payment') : payment;
      return { status: 200, body: toWidgetPayment(shown, Date.now(), offer) };
    },
  };
};
