import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { insertTest, placeOfWebhook, type TestEvent } from '../../db/webhooks/deliveries.ts';
import type { WebhookModel } from '../../db/webhooks/webhooks.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { standingEvents } from '../../domain/webhook.ts';
import { plainTest, makeSample } from '../../domain/webhooks/sample.ts';
import type { Handlers } from '../http/handler.ts';
import { accepted, lockActive } from './deliveries.ts';
import { toDelivery } from './response.ts';

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

/** Sends a webhook a made-up event. */
export const createWebhookTests = ({ knex }: { readonly knex: Knex }): Pick<Handlers, 'testWebhook'> => ({
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
