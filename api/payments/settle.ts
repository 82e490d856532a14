import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { settlePayment, type Settlement } from '../../db/payments/offchain.ts';
import { findPayment, lockPayment } from '../../db/payments/read.ts';
import { changed, unchanged, type AuditContext } from '../../domain/audit.ts';
import { DomainError, found } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Payment } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { auditedPayment, createPaymentResponse, type PaymentResponseDeps } from './response.ts';

/** Dependencies of `createSettlement`. */
export interface SettlementDeps extends PaymentResponseDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}

interface SettlementRequest extends Settlement {
  readonly paymentId: string;
  /** The root of the caller's reach. */
  readonly scopeId: string;
}

/**
 * Records the outcome that the merchant reports for a payment by card or bank transfer, and tells the payment's
 * workflow.
 */
const createUseCase = ({ knex, dispatch, ...deps }: SettlementDeps) => {
  const toPayment = createPaymentResponse(deps);
  return async ({ paymentId, scopeId, ...settlement }: SettlementRequest, audit: AuditContext) => {
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const read = async (find: typeof lockPayment): Promise<Payment> =>
        toPayment(found(await find(trx, scopeId, paymentId), 'payment'));
      const before = await read(lockPayment);
      const result = await settlePayment(trx, { ...settlement, paymentId: before.id, actorId: audit.actorId });
      if (result === 'refused') {
        const why =
          before.payment_method === 'web3'
            ? 'is a web3 payment, which only the chain settles'
            : 'has ended, is being canceled, or was settled with another outcome or reference';
        throw new DomainError('payment_not_settleable', `The payment ${why}`);
      }
      const after = await read(findPayment);
      if (result === 'again') return unchanged(after);
      return {
        answer: { status: 200 as const, body: after },
        change: changed('payment.settled', auditedPayment(before), auditedPayment(after)),
      };
    });
    dispatch.now();
    return answer;
  };
};

/** `POST /api/v1/payments/{id}/settle`. */
export const createSettlement = (deps: SettlementDeps): Pick<Handlers, 'settlePayment'> => {
  const settle = createUseCase(deps);
  return {
    settlePayment: ({ params, body, caller, audit }) =>
      settle({ ...body, paymentId: params.id, scopeId: caller.nodeId }, audit),
  };
};
