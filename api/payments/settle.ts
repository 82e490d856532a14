import type { Knex } from 'knex';
import type { PaymentModel } from '../../db/payments/model.ts';
import { findPayment } from '../../db/payments/payments.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { settlePayment as settle } from '../../db/payments/settle.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Dispatch } from '../dispatch.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import { auditedPayment, createPaymentResponse, type PaymentResponseDeps } from './response.ts';

export interface SettlementDeps extends PaymentResponseDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}

/** `POST /api/v1/payments/{id}/settle`: the outcome of a payment by card or bank transfer, as its merchant knows it. */
export const createSettlementHandlers = (deps: SettlementDeps): Pick<Handlers, 'settlePayment'> => {
  const { knex, dispatch } = deps;
  const toPayment = createPaymentResponse(deps);

  const settlePayment: Handler<'settlePayment'> = async ({ params, body, caller, audit }) => {
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const found = async (): Promise<PaymentModel> => {
        const payment = await findPayment(trx, caller.nodeId, params.id);
        if (payment === null) throw new DomainError('payment_not_found', 'There is no such payment');
        return payment;
      };
      const before = toPayment(await found());
      const { outcome, reference } = body;
      const result = await settle(trx, { paymentId: before.id, actorId: audit.actorId, outcome, reference });
      if (result === 'refused') {
        const why =
          before.payment_method === 'web3' ? 'is decided by the chain' : 'can not be settled like this any more';
        throw new DomainError('payment_not_settleable', `The payment ${why}`);
      }
      const after = toPayment(await found());
      const answered = { status: 200 as const, body: after };
      if (result === 'again') return { answer: answered, change: null };
      return {
        answer: answered,
        change: {
          action: 'payment.settled',
          nodeId: after.node_id,
          resourceId: after.id,
          before: auditedPayment(before),
          after: auditedPayment(after),
        },
      };
    });
    dispatch.now();
    return answer;
  };

  return { settlePayment };
};
