import type { Knex } from 'knex';
import { createContextReader } from '../../db/payments/context.ts';
import { refuseDuplicate, createPaymentWriter } from '../../db/payments/writer.ts';
import type { AuditContext } from '../../domain/audit.ts';
import type { Caller } from '../../domain/access.ts';
import type { DomainError } from '../../domain/errors.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import type { WebhookHosts } from '../../domain/webhook.ts';
import { tooLarge } from '../limits/sizes.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Payment, PaymentRequest } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { readAmounts, type RequestedAmounts } from './amounts.ts';
import { checkPaymentRequest } from './check.ts';
import { planPayment, referencesOf } from './plan.ts';
import { auditedPayment, createPaymentResponse, type PaymentResponseDeps } from './response.ts';
import { createSales, memberExcess, refusalOf } from './sale.ts';

export interface PaymentCreationDeps extends PaymentResponseDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
  /** `loopback` lets the page lead the buyer to this machine without TLS. */
  readonly webhookHosts: WebhookHosts;
  /** Maximum number of open payments of a node. */
  readonly maxOpenPayments: number;
}

/** A valid request, which may be new or repeat an order. */
interface CheckedRequest {
  readonly body: PaymentRequest;
  readonly amounts: RequestedAmounts;
  /** The refusal of a new payment whose expiry has passed; null when it is ahead. */
  readonly hasPassed: DomainError | null;
}

/** Plans a checked request, stores the payment with its related rows, and starts its workflow. */
const createUseCase = (deps: PaymentCreationDeps) => {
  const { knex, dispatch } = deps;
  const toPayment = createPaymentResponse(deps);
  const readContext = createContextReader(knex);
  const write = createPaymentWriter(knex);
  const sell = createSales(deps);

  return async (
    { body, amounts, hasPassed }: CheckedRequest,
    caller: Caller,
    audit: AuditContext,
  ): Promise<Payment> => {
    const references = referencesOf(body, caller.nodeId);
    const { record, payment } = await sell({
      what: 'payment',
      hasPassed,
      plan: async () => {
        const planned = planPayment(body, amounts, await readContext(references));
        return { ...planned, payment: toPayment(planned.record) };
      },
      obstacleTo: ({ payment: { member: _buyer, ...shown }, ...planned }) =>
        tooLarge('payment', shown) ?? memberExcess(planned) ?? refusalOf(planned),
      refuseRepeated: (planned) => refuseDuplicate(knex, planned.record),
      store: ({ payment: answer, ...planned }) =>
        write({ ...planned, audit, answer, audited: { payment: auditedPayment(answer), member: answer.member } }),
    });
    if (record.deal_mode === 'created') dispatch.now(startGroup(payment.network_id, payment.payment_method));
    return payment;
  };
};

/** `POST /api/v1/payments`. */
export const createPaymentCreation = (deps: PaymentCreationDeps): Pick<Handlers, 'createPayment'> => {
  const create = createUseCase(deps);
  return {
    createPayment: async ({ body, bytes, caller, audit }) => {
      const amounts = readAmounts(body, bytes);
      const hasPassed = checkPaymentRequest(body, amounts, Date.now(), deps.webhookHosts);
      return { status: 201, body: await create({ body, amounts, hasPassed }, caller, audit) };
    },
  };
};
