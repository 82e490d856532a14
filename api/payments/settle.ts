import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { settlePayment } from '../../db/payments/offchain.ts';
import { findPayment, lockPayment } from '../../db/payments/read.ts';
import { changed, unchanged } from '../../domain/audit.ts';
import { DomainError, found } from '../../domain/errors.ts';
import type { Payment } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import type { PaymentCommandDeps } from './cancel.ts';
import { auditedPayment, createPaymentResponse } from './response.ts';

/**
 * `POST /api/v1/payments/{id}/settle`: records the outcome that the merchant reports for a payment by card or bank transfer, and
 * tells the payment's workflow.
 */
export const createSettlement = ({ knex, dispatch, ...deps }: PaymentCommandDeps): Pick<Handlers, 'settlePayment'> => {
  const toPayment = createPaymentResponse(deps);
  return {
    settlePayment: async ({ params, body, caller, audit }) => {
      const answer = await auditedTransaction(knex, audit, async (trx) => {
        const read = async (find: typeof lockPayment): Promise<Payment> =>
          toPayment(found(await find(trx, caller.nodeId, params.id), 'payment'));
        const before = await read(lockPayment);
        const result = await settlePayment(trx, { ...body, paymentId: before.id, actorId: audit.actorId });
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
    },
  };
};
