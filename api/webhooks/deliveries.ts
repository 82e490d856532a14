import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import {
  redeliver,
  replay,
  insertTest,
  placeOfWebhook,
  type TestEvent,
  findDelivery,
  listDeliveries,
} from '../../db/webhooks/deliveries.ts';
import type { FoundWebhook, WebhookModel } from '../../db/webhooks/webhooks.ts';
import type { AuditAction, AuditedWork } from '../../domain/audit.ts';
import { DomainError, found, invalidRequest } from '../../domain/errors.ts';
import { standingEvents } from '../../domain/webhook.ts';
import { plainTest, makeSample } from '../../domain/webhooks/sample.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { toDate, toTime } from '../request/formats.ts';
import { pageBody, pageRequest } from '../request/page.ts';
import { toDelivery, toDetails } from './response.ts';
import { auditNodeOf, lockWebhook, readWebhook } from './webhooks.ts';

/** Locks an active configuration. */
const lockActive = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<FoundWebhook> => {
  const target = await lockWebhook(trx, scopeId, id);
  if (target.webhook.is_active) return target;
  throw new DomainError('webhook_inactive', 'The webhook is not active; set is_active to true first');
};

/** The answer to an accepted send, and its entry in the audit log. */
const accepted = <Body extends object>(
  target: FoundWebhook,
  action: AuditAction,
  body: Body,
  after: object = body,
): AuditedWork<{ status: 202; body: Body }> => ({
  answer: { status: 202, body },
  change: { action, nodeId: auditNodeOf(target), resourceId: target.webhook.id, before: null, after },
});

/**
 * Makes a test event of a type that the configuration subscribes to.
 * @throws DomainError invalid_request for any other type
 */
const makeTest = async (trx: Knex, { id, events }: WebhookModel, type: string): Promise<TestEvent> => {
  if (type === plainTest) return { type, told: null };
  if (![...standingEvents, ...events].some((event) => event === type)) {
    throw invalidRequest({ path: '/body/type', message: 'must be an event that the webhook receives' });
  }
  const place = await placeOfWebhook(trx, id);
  return { type, told: makeSample(type, { id: randomUUID(), now: new Date(), place }) };
};

/** Deliveries of a configuration: list, get, redeliver, replay, and made-up events for tests. */
export const createDeliveryHandlers = ({
  knex,
}: HandlerDeps): Pick<
  Handlers,
  'listDeliveries' | 'getDelivery' | 'redeliver' | 'replayDeliveries' | 'testWebhook'
> => ({
  listDeliveries: async ({ params, query, caller }) => {
    const request = pageRequest(query);
    const { webhook } = await readWebhook(knex, caller.nodeId, params.id);
    const filter = {
      webhookId: webhook.id,
      state: query.state,
      type: query.type,
      paymentId: query.payment_id,
      checkoutId: query.checkout_id,
      createdFrom: toTime(query.created_from),
      createdTo: toTime(query.created_to),
    };
    const page = await listDeliveries(knex, filter, request);
    return { status: 200, body: pageBody(page, request, (row) => toDelivery(row, row.event)) };
  },

  getDelivery: async ({ params, caller }) => {
    const { webhook } = await readWebhook(knex, caller.nodeId, params.id);
    const delivery = found(await findDelivery(knex, webhook.id, params.delivery_id), 'delivery');
    return { status: 200, body: toDetails(delivery) };
  },

  redeliver: ({ params, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const target = await lockActive(trx, caller.nodeId, params.id);
      const delivery = found(await redeliver(trx, target.webhook.id, params.delivery_id), 'delivery');
      const { event } = found(await findDelivery(trx, target.webhook.id, delivery.id), 'delivery');
      return accepted(target, 'webhook.redelivered', toDelivery(delivery, event));
    }),

  replayDeliveries: ({ params, body, caller, audit }) => {
    const [from, to] = [toDate(body.from), toDate(body.to)];
    if (to <= from) throw invalidRequest({ path: '/body/to', message: 'must be after from' });
    const includeDelivered = body.include_delivered ?? false;
    return auditedTransaction(knex, audit, async (trx) => {
      const target = await lockActive(trx, caller.nodeId, params.id);
      const count = await replay(trx, { webhookId: target.webhook.id, from, to, includeDelivered });
      const answer = { webhook_id: target.webhook.id, count };
      return accepted(target, 'webhook.replayed', answer, { ...body, ...answer });
    });
  },

  testWebhook: ({ params, body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const target = await lockActive(trx, caller.nodeId, params.id);
      const test = await makeTest(trx, target.webhook, body?.type ?? plainTest);
      const delivery = await insertTest(trx, target.webhook.id, test);
      const event = {
        type: test.type,
        payment_id: test.told?.payment?.id ?? null,
        checkout_id: test.told?.checkout?.id ?? null,
        sequence: test.told?.sequence ?? null,
      };
      return accepted(target, 'webhook.tested', toDelivery(delivery, event));
    }),
});
