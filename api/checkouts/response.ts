import { checksum } from '../../chain/pure/address.ts';
import type { CheckoutRecord } from '../../db/checkouts/read.ts';
import { describeCheckout } from '../../domain/checkouts/checkout-facts.ts';
import { toMember } from '../../domain/member.ts';
import type { Checkout } from '../generated/openapi-types.ts';
import { pageUrl, type PaymentResponseDeps } from '../payments/response.ts';

export interface CheckoutResponseDeps extends PaymentResponseDeps {
  /** Issues the token that opens the page of a checkout. */
  readonly checkoutTokens: { issue(checkoutId: string): string };
}

/** Renders a checkout, stored or about to be, for the merchant. */
export type ToCheckout = (checkout: CheckoutRecord) => Checkout;

/** A checkout for the audit log. JSON omits the undefined fields: secrets and personal data. */
export const auditedCheckout = (checkout: Checkout) => ({
  ...checkout,
  access_token: undefined,
  checkout_url: undefined,
  member: undefined,
  payment: undefined,
});

/** The one shape of checkouts in all answers to the merchant. */
export const createCheckoutResponse = ({
  widgetTokens,
  checkoutTokens,
  publicUrl,
}: CheckoutResponseDeps): ToCheckout => {
  return (checkout) => {
    const { payment, ...shown } = describeCheckout(checkout, checksum);
    const member = checkout.member === null ? null : toMember(checkout.member);
    const opened = (id: string, access_token: string) => ({
      access_token,
      checkout_url: pageUrl(publicUrl, id, access_token),
    });
    return {
      ...shown,
      // Carat does not store the address of a buyer who chooses.
      payment: payment && {
        ...payment,
        member,
        client_ip: null,
        ...opened(payment.id, widgetTokens.issue(payment.id)),
      },
      member,
      ...opened(checkout.id, checkoutTokens.issue(checkout.id)),
    };
  };
};
