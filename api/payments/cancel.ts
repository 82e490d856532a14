import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { requestCancel } from '../../db/payments/cancel.ts';
import { findPayment, isPayment, lockPayment } from '../../db/payments/read.ts';
import { changed, type AuditContext } from '../../domain/audit.ts';
import { DomainError, found, outOfReach } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Payment } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { auditedPayment, createPaymentResponse, type PaymentResponseDeps } from './response.ts';

/** Dependencies of cancel and retry. */
export interface PaymentCommandDeps extends PaymentResponseDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}

/** A payment, and the root of the caller's reach. */
export interface PaymentCommand {
  readonly paymentId: string;
  readonly scopeId: string;
}

const accepted = { status: 202 as const, body: { status: 'accepted' as const } };

/** Accepts a cancel and stores the command that starts its workflow. */
const createUseCase = ({ knex, dispatch, ...deps }: PaymentCommandDeps) => {
  const toPayment = createPaymentResponse(deps);
  return async ({ paymentId, scopeId, onChain }: PaymentCommand & { onChain: boolean }, audit: AuditContext) => {
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const read = async (find: typeof lockPayment): Promise<Payment> => {
        const payment = await find(trx, scopeId, paymentId);
        if (payment === null && (await isPayment(trx, paymentId))) throw outOfReach('payment');
        return toPayment(found(payment, 'payment'));
      };
      const before = await read(lockPayment);
      const result = await requestCancel(trx, { paymentId: before.id, actorId: audit.actorId, onChain });
      if (result === 'refused') throw new DomainError('payment_not_cancelable', 'The payment is paid or has ended');
      if (result === 'again') return { answer: accepted, change: null };
      const after = auditedPayment(await read(findPayment));
      const asked = onChain ? { cancel_on_chain: true } : {};
      const change = changed('payment.cancel_requested', auditedPayment(before), { ...after, ...asked });
      return { answer: accepted, change };
    });
    dispatch.now();
    return answer;
  };
};

/** `POST /api/v1/payments/{id}/cancel`. */
export const createCancellation = (deps: PaymentCommandDeps): Pick<Handlers, 'cancelPayment'> => {
  const cancel = createUseCase(deps);
  return {
    cancelPayment: ({ params, body, caller, audit }) =>
      cancel({ paymentId: params.id, scopeId: caller.nodeId, onChain: body?.on_chain ?? false }, audit),
  };
};
