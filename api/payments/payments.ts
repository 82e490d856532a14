import type { Knex } from 'knex';
import type { PaymentLogModel } from '../../db/payments/log-model.ts';
import { loadPaymentContext, type PaymentReferences } from '../../db/payments/context.ts';
import { createPaymentWriter, refuseDuplicate } from '../../db/payments/writer.ts';
import { findFilterTargets, listPaymentLogs, listPayments, type PaymentFilter } from '../../db/payments/payments.ts';
import { DomainError } from '../../domain/errors.ts';
import { startGroup } from '../../domain/outbox.ts';
import { createSingleFlight } from '../../domain/single-flight.ts';
import type { Dispatch } from '../dispatch.ts';
import { toDate } from '../http/formats.ts';
import { ApiError } from '../http/errors.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import { checkPaymentRequest, planPayment, type PlannedPayment } from './plan-payment.ts';
import { createPaymentQuota } from './quota.ts';
import type { Operations, PaymentLog } from '../generated/openapi-types.ts';
import { pageBody, pageRequest } from '../http/page.ts';
import { createPaymentReads } from './reads.ts';
import { auditedPayment, createPaymentResponse, type PaymentResponseDeps } from './response.ts';

export interface PaymentDeps extends PaymentResponseDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
  /** Open payments a node may have at once. */
  readonly maxOpenPayments: number;
}

const toLog = (entry: PaymentLogModel): PaymentLog => ({
  id: entry.id,
  payment_id: entry.payment_id,
  sequence: entry.sequence,
  event_type: entry.event_type,
  message: entry.message,
  // Whoever acts from above is the operator to those below.
  actor_type: entry.actor_in_reach ? entry.actor_type : 'operator',
  actor_id: entry.actor_in_reach ? entry.actor_id : null,
  data: entry.data,
  created_at: entry.created_at.toISOString(),
});

const toFilter = (query: Operations['listPayments']['query']): PaymentFilter => ({
  nodeId: query.node_id,
  includeDescendants: query.include_descendants,
  walletId: query.wallet_id,
  networkId: query.network_id,
  memberId: query.member_id,
  externalId: query.external_id,
  status: query.status,
  method: query.payment_method,
  createdFrom: query.created_from === undefined ? undefined : toDate(query.created_from),
  createdTo: query.created_to === undefined ? undefined : toDate(query.created_to),
});

/** Each round that fails means that wallet, diamond or member has changed between two statements. */
const MAX_ROUNDS = 10;

const paymentNotFound = (): DomainError => new DomainError('payment_not_found', 'There is no such payment');

/** Payments: create, get, list, and their logs. */
export const createPaymentHandlers = (
  deps: PaymentDeps,
): Pick<Handlers, 'createPayment' | 'getPayment' | 'listPayments' | 'listPaymentLogs'> => {
  const { knex, dispatch } = deps;
  const openPayments = createPaymentQuota({ knex, max: deps.maxOpenPayments });
  const toPayment = createPaymentResponse(deps);
  const writer = createPaymentWriter(knex);
  const read = createPaymentReads(knex);
  const contextOf = createSingleFlight((references: PaymentReferences) => loadPaymentContext(knex, references), {
    late: 'next',
  });

  /** The state of things that a payment, right in itself, has to wait for. */
  const obstacleOf = async ({ record, walletIsInactive }: PlannedPayment): Promise<DomainError | null> => {
    if (walletIsInactive) return new DomainError('wallet_inactive', 'The wallet takes no new payments');
    return (await openPayments.isFull(record.node_id))
      ? new DomainError('too_many_open_payments', 'The node has as many open payments as it may')
      : null;
  };

  const createPayment: Handler<'createPayment'> = async ({ body, caller, audit }) => {
    checkPaymentRequest(body, Date.now());
    const references = {
      scopeId: caller.nodeId,
      nodeId: body.node_id,
      networkId: body.network_id,
      currencyId: body.currency_id,
      walletId: body.wallet_id ?? null,
      useDefaultWallet: body.payment_method === 'web3',
      memberId: body.member_id ?? null,
      memberExternalId: body.member?.external_id ?? null,
    };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const planned = planPayment(body, await contextOf(references));
      const { node_id } = planned.record;
      const obstacle = await obstacleOf(planned);
      if (obstacle !== null) {
        await refuseDuplicate(knex, node_id, body.external_id);
        throw obstacle;
      }
      const payment = toPayment(planned.record);
      const answer = { status: 201 as const, body: payment };
      if (
        !(await writer.insert(planned, {
          audit,
          answer,
          audited: auditedPayment(payment),
          auditedMember: payment.member,
        }))
      )
        continue;
      openPayments.created(node_id);
      dispatch.now(startGroup(payment.network_id, payment.payment_method));
      return answer;
    }
    throw new ApiError('unavailable', 'What the payment refers to is changing all the time; try again', {
      headers: { 'Retry-After': '1' },
    });
  };

  const getPayment: Handler<'getPayment'> = async ({ params, caller }) => {
    const payment = await read({ id: params.id, scopeId: caller.nodeId });
    if (payment === null) throw paymentNotFound();
    return { status: 200, body: toPayment(payment) };
  };

  const list: Handler<'listPayments'> = async ({ query, caller }) => {
    const request = pageRequest(query);
    const filter = toFilter(query);
    const targets = await findFilterTargets(knex, caller.nodeId, filter);
    if (!targets.node) throw new DomainError('node_not_found', 'There is no such node');
    if (query.wallet_id !== undefined && !targets.wallet) {
      throw new DomainError('wallet_not_found', 'There is no such wallet');
    }
    if (query.network_id !== undefined && !targets.network) {
      throw new DomainError('network_not_found', 'There is no such network');
    }
    if (query.member_id !== undefined && !targets.member) {
      throw new DomainError('member_not_found', 'There is no such member');
    }
    return { status: 200, body: pageBody(await listPayments(knex, filter, request), request, toPayment) };
  };

  const logs: Handler<'listPaymentLogs'> = async ({ params, query, caller }) => {
    const request = pageRequest(query, 'number');
    const payment = await read({ id: params.id, scopeId: caller.nodeId });
    if (payment === null) throw paymentNotFound();
    return {
      status: 200,
      body: pageBody(await listPaymentLogs(knex, caller.nodeId, payment.id, request), request, toLog),
    };
  };

  return { createPayment, getPayment, listPayments: list, listPaymentLogs: logs };
};
