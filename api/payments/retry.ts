import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { findPayment, lockPayment } from '../../db/payments/read.ts';
import { requestRetry } from '../../db/payments/retry.ts';
import { changed, unchanged } from '../../domain/audit.ts';
import { DomainError, found } from '../../domain/errors.ts';
import type { Payment } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import type { PaymentCommandDeps } from './cancel.ts';
import { auditedPayment, createPaymentResponse } from './response.ts';

/**
 * `POST /api/v1/payments/{id}/retry-send`: accepts another send of a pending payment's deal, and stores the command that starts its
 * workflow.
 */
export const createRetry = ({ knex, dispatch, ...deps }: PaymentCommandDeps): Pick<Handlers, 'retrySendPayment'> => {
  const toPayment = createPaymentResponse(deps);
  return {
    retrySendPayment: async ({ params, caller, audit }) => {
      const answer = await auditedTransaction(knex, audit, async (trx) => {
        const read = async (find: typeof lockPayment): Promise<Payment> =>
          toPayment(found(await find(trx, caller.nodeId, params.id), 'payment'));
        const before = await read(lockPayment);
        const result = await requestRetry(trx, { paymentId: before.id, actorId: audit.actorId });
        if (result === 'again') return unchanged(before);
        if (result === 'refused') {
          throw new DomainError('payment_not_retryable', 'Only a pending web3 payment can be retried');
        }
        const after = await read(findPayment);
        return {
          answer: { status: 200 as const, body: after },
          change: changed('payment.retry_requested', auditedPayment(before), auditedPayment(after)),
        };
      });
      dispatch.now();
      return answer;
    },
  };
};
