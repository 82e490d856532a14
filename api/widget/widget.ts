import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { approvalOf, emptyOffer, payCall } from '../../chain/pure/pay-call.ts';
import { payErrors } from '../../chain/pure/pay-errors.ts';
import { permitCall } from '../../chain/pure/permit.ts';
import { createReveal } from '../../db/offers/reveal.ts';
import { findWidgetPayment, type WidgetPaymentRow } from '../../db/widget/rows.ts';
import { ZERO_ADDRESS, type DealTerms, type Offer } from '../../domain/deal.ts';
import { DomainError, found } from '../../domain/errors.ts';
import { toScaledInteger } from '../../domain/money.ts';
import { transactionOf } from '../../domain/payment-facts.ts';
import type { Encryption } from '../../runtime/encryption.ts';
import { bearerOf } from '../auth/authenticate.ts';
import type { WidgetPayment } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import type { Pages } from './pages.ts';
import { dealIdOf, opened, toWidgetState } from './state.ts';

/** Warning for buyers, the same for every payment. */
const plainTransferWarning =
  'Pay only by the call in "contract". A plain transfer pays for nothing: sent to payment_address it reaches the payee and is ' +
  'not recognised, and sent to diamond_address it stays there until the operator of this service recovers it.';

/** The diamond of a payment. */
const diamondOf = ({ diamond_address: diamond, diamond_active: isActive }: WidgetPaymentRow): string => {
  // A native coin sent to an address without code would be stuck there.
  if (diamond !== null && isActive) return diamond;
  throw new DomainError('payment_not_payable', "The wallet's diamond is not active on this network yet");
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

/** The call that needs no approval; null for a token without permits. */
const permitOf = (payment: WidgetPaymentRow, terms: DealTerms, offer?: Offer): WidgetPayment['permit'] => {
  const { permit_name: name, permit_version: version, eip155 } = payment;
  if (name === null || version === null) return null;
  const { typed_data, ...call } = permitCall(
    { name, version },
    { terms, diamond: diamondOf(payment), eip155: Number(eip155) },
    offer,
  );
  const { EIP712Domain, Permit } = typed_data.types;
  return { ...call, typed_data: { ...typed_data, types: { EIP712Domain: [...EIP712Domain], Permit: [...Permit] } } };
};

/** @param offer of a payable offered deal; undefined for a created deal */
const toWidgetPayment = (
  payment: WidgetPaymentRow,
  now: number,
  publicUrl: string,
  offer?: Offer | null,
): WidgetPayment => {
  const dealId = dealIdOf(payment);
  const diamond = diamondOf(payment);
  const state = toWidgetState(payment, now, publicUrl);
  const { token_address } = payment;
  const amount = BigInt(payment.paid_price_units);
  const payable = state.payable && offer !== null;
  const terms = { token: token_address ?? ZERO_ADDRESS, payee: payment.payment_address, payer: ZERO_ADDRESS };
  const deal = { dealId: BigInt(dealId), ...terms, amount, expiresAt: BigInt(payment.expires_unix) };
  const shown = offer === undefined ? undefined : ((payable ? offer : null) ?? emptyOffer);
  const call = payCall(deal, shown);
  return {
    ...state,
    deal_id: Number(dealId),
    ...toScaledInteger(amount, payment.decimals),
    diamond_address: checksum(diamond),
    contract: {
      abi: [...call.abi] as Record<string, unknown>[],
      function_name: call.function_name,
      arguments: [...call.arguments],
      data: call.data,
      value: call.value,
      errors: [...payErrors],
    },
    approval: token_address === null ? null : approvalOf(diamond, amount),
    permit: permitOf(payment, deal, shown),
    payable,
    offer_valid_until: payable && offer ? new Date(Number(offer.validUntil) * 1_000).toISOString() : null,
    transaction_hash: transactionOf(payment),
    warning: plainTransferWarning,
  };
};

interface WidgetDeps {
  readonly knex: Knex;
  /** Decrypts offers. */
  readonly encryption: Encryption;
  readonly pages: Pages;
  /** Public origin of the API, without a trailing slash. */
  readonly publicUrl: string;
}

/** Data for the buyer's page. The guards have checked the token against the payment's id. */
export const createWidgetHandlers = ({
  knex,
  encryption,
  pages,
  publicUrl,
}: WidgetDeps): Pick<Handlers, 'getWidgetPayment' | 'getWidgetPaymentEvents'> => {
  const reveal = createReveal(knex, encryption);
  const find = async (id: string): Promise<WidgetPaymentRow> =>
    opened(found(await findWidgetPayment(knex, id), 'payment'), Date.now());
  return {
    getWidgetPayment: async ({ params }) => {
      const payment = await find(params.id);
      if (payment.deal_mode === 'created')
        return { status: 200, body: toWidgetPayment(payment, Date.now(), publicUrl) };
      const offer = await offerOf(reveal, payment);
      // It may have changed while its offer was awaited.
      const shown = offer === null ? await find(params.id) : payment;
      return { status: 200, body: toWidgetPayment(shown, Date.now(), publicUrl, offer) };
    },
    getWidgetPaymentEvents: async ({ params, wantsEvents, authorization }) => {
      if (wantsEvents) return pages.open(params.id, bearerOf(authorization));
      return { status: 200, body: toWidgetState(await find(params.id), Date.now(), publicUrl) };
    },
  };
};
