import {
  COUNTED_DELIVERIES,
  deliveriesOfWebhook,
  readWebhooks,
  type DeliveryLook,
  type WebhookLook,
} from '../../db/operator/deliveries.ts';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';
import { deliveryStates, type DeliveryState } from '../../domain/ports/deliveries.ts';
import { isUuid } from '../../domain/tools/is-uuid.ts';
import { defineCommand, jsonOption, UsageError, readWords } from '../command/command.ts';
import { withReader } from '../command/database.ts';
import { agoText, jsonText, table } from '../command/text.ts';
import { readLimit } from './alerts.ts';

/** Headings of `deliveryRow`. */
export const deliveryHeadings = ['delivery', 'webhook', 'event', 'state', 'attempts', 'created', 'next', 'last result'];

const resultText = ({ last_try: last }: DeliveryLook): string => {
  if (last === null) return '-';
  return `${last.status === null ? (last.error ?? 'no response') : `HTTP ${last.status}`}, ${agoText(last.at)}`;
};

/** A delivery in a table. */
export const deliveryRow = (delivery: DeliveryLook): string[] => [
  delivery.id,
  delivery.host,
  delivery.event_type,
  delivery.state,
  String(delivery.attempts),
  agoText(delivery.created_at),
  agoText(delivery.next_attempt_at),
  resultText(delivery),
];

const stateText = (webhook: WebhookLook): string => {
  if (!webhook.is_active) return webhook.disabled_reason === null ? 'off' : `disabled: ${webhook.disabled_reason}`;
  return webhook.failing_since === null ? 'works' : `fails since ${agoText(webhook.failing_since)}`;
};

const webhookRow = (webhook: WebhookLook): string[] => [
  webhook.id,
  webhook.host,
  webhook.id === operatorWebhookId ? 'alerts of the operator' : (webhook.node ?? '-'),
  stateText(webhook),
  webhook.pending >= COUNTED_DELIVERIES ? `${COUNTED_DELIVERIES} or more` : String(webhook.pending),
  agoText(webhook.oldest_pending_at),
];

const isState = (text: string): text is DeliveryState => (deliveryStates as readonly string[]).includes(text);

/** Lists the webhooks with their backlogs, or the deliveries of one, newest first. */
export const webhookDeliveries = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const { values, positionals } = readWords(args, {
      ...jsonOption,
      state: { type: 'string' },
      limit: { type: 'string', default: '50' },
    });
    const [id, ...rest] = positionals;
    const { state } = values;
    const limit = readLimit(values.limit);
    if (rest.length > 0 || (id !== undefined && !isUuid(id))) {
      throw new UsageError('the id of one webhook is needed, or none');
    }
    if (state !== undefined && (!isState(state) || id === undefined)) {
      throw new UsageError(`--state needs a webhook, and one of ${deliveryStates.join(', ')}`);
    }
    await withReader(config, async (knex) => {
      if (id === undefined) {
        const webhooks = await readWebhooks(knex, limit);
        if (values.json) return print(jsonText({ webhooks }));
        if (webhooks.length === 0) return print('There is no webhook');
        const headings = ['webhook', 'receiver', 'node', 'state', 'pending', 'oldest'];
        for (const line of table(headings, webhooks.map(webhookRow))) print(line);
        return print('carat webhook deliveries WEBHOOK lists the deliveries of one');
      }
      const deliveries = await deliveriesOfWebhook(knex, { webhookId: id, state: state ?? null, limit });
      if (values.json) return print(jsonText({ deliveries }));
      if (deliveries.length === 0) return print('There is no such delivery');
      for (const line of table(deliveryHeadings, deliveries.map(deliveryRow))) print(line);
    });
  },
});
