import { checksum } from '../../chain/pure/address.ts';
import type { PaymentRecord } from '../../db/payments/model.ts';
import { toMember } from '../../domain/member.ts';
import { describePayment } from '../../domain/payment-facts.ts';
import type { Payment } from '../generated/openapi-types.ts';

/** A payment for the audit log. JSON omits the undefined fields: the secret and personal data. */
export const auditedPayment = (payment: Payment) => ({
  ...payment,
  access_token: undefined,
  client_ip: undefined,
  member: undefined,
});

/** Dependencies of `createPaymentResponse`. */
export interface PaymentResponseDeps {
  /** Issues the token that opens a payment in the widget. */
  readonly widgetTokens: { issue(paymentId: string): string };
}

/** Renders a payment record, stored or about to be, for clients. */
export type ToPayment = (payment: PaymentRecord) => Payment;

/** The one shape of payments in all answers. */
export const createPaymentResponse =
  ({ widgetTokens }: PaymentResponseDeps): ToPayment =>
  (payment) => ({
    ...describePayment(payment, checksum),
    member: payment.member === null ? null : toMember(payment.member),
    client_ip: payment.client_ip,
    access_token: widgetTokens.issue(payment.id),
  });
