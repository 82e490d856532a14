import { checksum } from '../../chain/pure/address.ts';
import type { PaymentRecord } from '../../db/payments/model.ts';
import { toMember } from '../../domain/member.ts';
import { describePayment } from '../../domain/payment-facts.ts';
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

/** The one shape a payment has wherever it is answered. */
export const createPaymentResponse =
  ({ widgetTokens }: PaymentResponseDeps): ToPayment =>
  (payment) => ({
    ...describePayment(payment, checksum),
    member: payment.member === null ? null : toMember(payment.member),
    client_ip: payment.client_ip,
    access_token: widgetTokens.issue(payment.id),
  });
