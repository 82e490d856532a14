import type { Knex } from 'knex';
import { readAllPayments, findMissingTarget, listPayments, type PaymentFilter } from '../../db/payments/lists.ts';
import { createCounter } from '../../db/query/counter.ts';
import { PaymentModel, createPaymentReader, listPaymentLogs, type PaymentLogModel } from '../../db/payments/read.ts';
import { found, notFound } from '../../domain/errors.ts';
import { logNotes, type LogNoteType } from '../../domain/payment.ts';
import type { PaymentLog } from '../generated/openapi-types.ts';
import { toTime } from '../request/formats.ts';
import type { Handlers } from '../http/handler.ts';
import type { Operations } from '../request/operations.ts';
import { pageBody, pageRequest } from '../request/page.ts';
import { paymentsFile } from './csv.ts';
import { createPaymentResponse, type PaymentResponseDeps } from './response.ts';

export interface PaymentReadDeps extends PaymentResponseDeps {
  readonly knex: Knex;
}

const toLog = (entry: PaymentLogModel): PaymentLog => ({
  id: entry.id,
  payment_id: entry.payment_id,
  sequence: entry.sequence,
  event_type: entry.event_type,
  message: entry.message ?? logNotes[entry.event_type as LogNoteType],
  // To callers below it, an actor of a node above is "the operator".
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
  createdFrom: toTime(query.created_from),
  createdTo: toTime(query.created_to),
  completedFrom: toTime(query.completed_from),
  completedTo: toTime(query.completed_to),
  updatedFrom: toTime(query.updated_from),
  transactionHash: query.transaction_hash?.toLowerCase(),
});

/** Read operations: one payment, lists, and logs. */
export const createPaymentReads = (
  deps: PaymentReadDeps,
): Pick<Handlers, 'getPayment' | 'listPayments' | 'listPaymentLogs'> => {
  const { knex } = deps;
  const toPayment = createPaymentResponse(deps);
  const readPayment = createPaymentReader(knex);
  const countPayments = createCounter(knex, PaymentModel);

  const read = async (id: string, scopeId: string): Promise<PaymentModel> =>
    found(await readPayment({ id, scopeId }), 'payment');

  return {
    getPayment: async ({ params, caller }) => ({ status: 200, body: toPayment(await read(params.id, caller.nodeId)) }),
    listPayments: async ({ query, caller, wantsFile }) => {
      const filter = toFilter(query);
      const missing = await findMissingTarget(knex, caller.nodeId, filter);
      if (missing !== null) throw notFound(missing);
      if (wantsFile) return paymentsFile(readAllPayments(knex, filter));
      const request = pageRequest(query);
      const payments = await listPayments(knex, filter, request, countPayments);
      return { status: 200, body: pageBody(payments, request, toPayment) };
    },
    listPaymentLogs: async ({ params, query, caller }) => {
      const request = pageRequest(query, 'number');
      const payment = await read(params.id, caller.nodeId);
      const logs = await listPaymentLogs(knex, caller.nodeId, payment.id, request);
      return { status: 200, body: pageBody(logs, request, toLog) };
    },
  };
};
