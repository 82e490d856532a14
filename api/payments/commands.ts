import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { requestCancel } from '../../db/payments/cancel.ts';
import { settlePayment } from '../../db/payments/offchain.ts';
import { findPayment, isPayment, lockPayment } from '../../db/payments/read.ts';
import { requestRetry } from '../../db/payments/retry.ts';
import { changed, unchanged, type Answer, type AuditedWork } from '../../domain/audit.ts';
import { DomainError, found, outOfReach } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Payment } from '../generated/openapi-types.ts';
import type { ApiRequest, Handlers } from '../http/handler.ts';
import { auditedPayment, createPaymentResponse, type PaymentResponseDeps } from './response.ts';

/** Dependencies of cancel, retry and settle. */
export interface PaymentCommandDeps extends PaymentResponseDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}

const accepted = { status: 202 as const, body: { status: 'accepted' as const } };

/** Locks the payment like `lockPayment`. @throws DomainError node_access_denied for one beyond the reach of the caller */
const lockWithinReach: typeof lockPayment = async (trx, scopeId, id) => {
  const payment = await lockPayment(trx, scopeId, id);
  if (payment === null && (await isPayment(trx, id))) throw outOfReach('payment');
  return payment;
};

/**
 * `POST /api/v1/payments/{id}/cancel`, `settle` and `retry-send`. Each locks the payment, stores the request with the command for
 * its workflow, and answers.
 */
export const createPaymentCommands = ({
  knex,
  dispatch,
  ...deps
}: PaymentCommandDeps): Pick<Handlers, 'cancelPayment' | 'settlePayment' | 'retrySendPayment'> => {
  const toPayment = createPaymentResponse(deps);

  /** Runs the work in one transaction, and passes on the command that it has stored. */
  const command = async <Answered extends Answer>(
    { params, caller, audit }: Pick<ApiRequest<'retrySendPayment'>, 'params' | 'caller' | 'audit'>,
    work: (
      trx: Knex.Transaction,
      read: (find: typeof lockPayment) => Promise<Payment>,
    ) => Promise<AuditedWork<Answered>>,
  ): Promise<Answered> => {
    const answer = await auditedTransaction(knex, audit, (trx) =>
      work(trx, async (find) => toPayment(found(await find(trx, caller.nodeId, params.id), 'payment'))),
    );
    dispatch.now();
    return answer;
  };

  return {
    cancelPayment: (request) =>
      command(request, async (trx, read) => {
        const onChain = request.body?.on_chain ?? false;
        const before = await read(lockWithinReach);
        const result = await requestCancel(trx, { paymentId: before.id, actorId: request.audit.actorId, onChain });
        if (result === 'refused') throw new DomainError('payment_not_cancelable', 'The payment is paid or has ended');
        if (result === 'again') return { answer: accepted, change: null };
        const after = auditedPayment(await read(findPayment));
        const asked = onChain ? { cancel_on_chain: true } : {};
        const change = changed('payment.cancel_requested', auditedPayment(before), { ...after, ...asked });
        return { answer: accepted, change };
      }),

    settlePayment: (request) =>
      command(request, async (trx, read) => {
        const before = await read(lockPayment);
        const settled = { ...request.body, paymentId: before.id, actorId: request.audit.actorId };
        const result = await settlePayment(trx, settled);
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
      }),

    retrySendPayment: (request) =>
      command(request, async (trx, read) => {
        const before = await read(lockPayment);
        const result = await requestRetry(trx, { paymentId: before.id, actorId: request.audit.actorId });
        if (result === 'again') return unchanged(before);
        if (result === 'refused') {
          throw new DomainError('payment_not_retryable', 'Only a pending web3 payment can be retried');
        }
        const after = await read(findPayment);
        return {
          answer: { status: 200 as const, body: after },
          change: changed('payment.retry_requested', auditedPayment(before), auditedPayment(after)),
        };
      }),
  };
};
