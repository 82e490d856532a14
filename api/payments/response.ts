import { checksum } from '../../chain/pure/address.ts';
import type { PaymentRecord } from '../../db/payments/read.ts';
import { toMember } from '../../domain/member.ts';
import { describePayment } from '../../domain/payment-facts.ts';
import type { Payment } from '../generated/openapi-types.ts';

/** A payment for the audit log, without its secret and without personal data. JSON omits the undefined fields. */
export const auditedPayment = (payment: Payment) => ({
  ...payment,
  access_token: undefined,
  checkout_url: null,
  client_ip: undefined,
  member: undefined,
});

export interface PaymentResponseDeps {
  /** Issues the token that opens a payment in the widget. */
  readonly widgetTokens: { issue(paymentId: string): string };
  /** Public origin of the API, without a trailing slash. */
  readonly publicUrl: string;
}

/** Renders a payment record, stored or about to be, for clients. */
export type ToPayment = (payment: PaymentRecord) => Payment;

/** URL of the page where a buyer pays. Browsers send no fragment, so the token appears in no log. */
export const pageUrl = (publicUrl: string, id: string, token: string): string => `${publicUrl}/pay/${id}#${token}`;

/** The one shape of payments in all answers. */
export const createPaymentResponse =
  ({ widgetTokens, publicUrl }: PaymentResponseDeps): ToPayment =>
  (payment) => {
    const token = widgetTokens.issue(payment.id);
    return {
      ...describePayment(payment, checksum),
      member: payment.member === null ? null : toMember(payment.member),
      client_ip: payment.client_ip,
      access_token: token,
      checkout_url: payment.payment_method === 'web3' ? pageUrl(publicUrl, payment.id, token) : null,
    };
  };
