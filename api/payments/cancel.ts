import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { requestCancel } from '../../db/payments/cancel.ts';
import { findPayment, isPayment, lockPayment } from '../../db/payments/read.ts';
import { changed } from '../../domain/audit.ts';
import { DomainError, found, outOfReach } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Payment } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { auditedPayment, createPaymentResponse, type PaymentResponseDeps } from './response.ts';

/** Dependencies of cancel, retry and settle. */
export interface PaymentCommandDeps extends PaymentResponseDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}

const accepted = { status: 202 as const, body: { status: 'accepted' as const } };

/** `POST /api/v1/payments/{id}/cancel`: accepts a cancel and stores the command that starts its workflow. */
export const createCancellation = ({
  knex,
  dispatch,
  ...deps
}: PaymentCommandDeps): Pick<Handlers, 'cancelPayment'> => {
  const toPayment = createPaymentResponse(deps);
  return {
    cancelPayment: async ({ params, body, caller, audit }) => {
      const onChain = body?.on_chain ?? false;
      const answer = await auditedTransaction(knex, audit, async (trx) => {
        const read = async (find: typeof lockPayment): Promise<Payment> => {
          const payment = await find(trx, caller.nodeId, params.id);
          if (payment === null && (await isPayment(trx, params.id))) throw outOfReach('payment');
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
    },
  };
};
