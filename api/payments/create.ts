import type { Knex } from 'knex';
import { createContextReader } from '../../db/payments/context.ts';
import { refuseDuplicate } from '../../db/payments/duplicate.ts';
import { createPaymentQuota } from '../../db/payments/quota.ts';
import { createPaymentWriter } from '../../db/payments/writer.ts';
import type { AuditContext } from '../../domain/audit.ts';
import type { Caller } from '../../domain/access.ts';
import { DomainError, networkRetired } from '../../domain/errors.ts';
import { toMember } from '../../domain/member.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import type { WebhookHosts } from '../../domain/webhook.ts';
import { tooLarge } from '../limits/sizes.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Payment, PaymentRequest } from '../generated/openapi-types.ts';
import { ApiError } from '../errors/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { readAmounts, type RequestedAmounts } from './amounts.ts';
import { payeeNotAllowed } from '../payouts/payee.ts';
import { checkPaymentRequest } from './check.ts';
import { planPayment, referencesOf, type PlannedPayment } from './plan.ts';
import { auditedPayment, createPaymentResponse, type PaymentResponseDeps } from './response.ts';

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

/** A failed try means that the wallet, diamond or member changed between two statements. */
const MAX_TRIES = 10;

/** The refusal of a payment, or of the member in its request, that is too large. */
const excessOf = ({ member: _buyer, ...payment }: Payment, { askedMember }: PlannedPayment): DomainError | null =>
  tooLarge('payment', payment) ?? (askedMember && tooLarge('member', toMember(askedMember), '/body/member'));

/** Plans a checked request, stores the payment with its related rows, and starts its workflow. */
const createUseCase = (deps: PaymentCreationDeps) => {
  const { knex, dispatch } = deps;
  const toPayment = createPaymentResponse(deps);
  const readContext = createContextReader(knex);
  const write = createPaymentWriter(knex);
  const quota = createPaymentQuota(knex, deps.maxOpenPayments);

  /** The refusal of a planned payment for any reason other than an expiry that has passed. */
  const obstacleTo = async (planned: PlannedPayment, payment: Payment): Promise<DomainError | null> => {
    const { record, walletIsInactive, retiredNetwork, lockedPayee } = planned;
    const excess = excessOf(payment, planned);
    if (excess !== null) return excess;
    if (lockedPayee !== null && record.payment_address !== lockedPayee) return payeeNotAllowed(lockedPayee);
    if (retiredNetwork !== null) return networkRetired(retiredNetwork);
    if (walletIsInactive) return new DomainError('wallet_inactive', 'The wallet takes no new payments');
    return (await quota.isFull(record.node_id))
      ? new DomainError('too_many_open_payments', 'The node has reached its limit of open payments')
      : null;
  };

  /** @throws DomainError for a duplicate before any obstacle, because a repeated request needs only that answer */
  const refuseObstacle = async (
    planned: PlannedPayment,
    payment: Payment,
    hasPassed: DomainError | null,
  ): Promise<void> => {
    const obstacle = hasPassed ?? (await obstacleTo(planned, payment));
    if (obstacle === null) return;
    await refuseDuplicate(knex, planned.record);
    throw obstacle;
  };

  return async (
    { body, amounts, hasPassed }: CheckedRequest,
    caller: Caller,
    audit: AuditContext,
  ): Promise<Payment> => {
    const references = referencesOf(body, caller.nodeId);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const planned = planPayment(body, amounts, await readContext(references));
      const payment = toPayment(planned.record);
      await refuseObstacle(planned, payment, hasPassed);
      const audited = { payment: auditedPayment(payment), member: payment.member };
      if (await write({ ...planned, audit, answer: payment, audited })) {
        quota.created(payment.node_id);
        if (planned.record.deal_mode === 'created')
          dispatch.now(startGroup(payment.network_id, payment.payment_method));
        return payment;
      }
    }
    throw new ApiError('unavailable', 'The resources of the payment keep changing; try again', {
      headers: { 'Retry-After': '1' },
    });
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
