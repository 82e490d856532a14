import type { WebhookDeliveryModel, WebhookEventModel, ShownDeliveryModel } from '../../db/webhooks/deliveries.ts';
import type { ListedWebhookModel } from '../../db/webhooks/webhooks.ts';
import { openHeaders } from '../../domain/webhook.ts';
import type { Delivery, DeliveryDetails, EventType, Webhook } from '../generated/openapi-types.ts';

/** Renders a wallet's configuration for clients. @throws Error for the operator's own, which no request finds */
export const toWebhook = ({ id, wallet_id, network_id, ...webhook }: ListedWebhookModel): Webhook => {
  if (wallet_id === null || network_id === null) throw new Error(`The webhook ${id} belongs to no wallet`);
  return {
    id,
    wallet_id,
    network_id,
    node_id: webhook.node_id,
    host: webhook.host,
    success_path: webhook.success_path,
    error_path: webhook.error_path,
    auth_type: webhook.auth_type,
    events: webhook.events,
    is_active: webhook.is_active,
    disabled_reason: webhook.disabled_reason,
    failing_since: webhook.failing_since?.toISOString() ?? null,
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
  };
};

type EventOf = Pick<WebhookEventModel, 'type' | 'payment_id' | 'checkout_id' | 'sequence'>;

/** The database counts a test when it begins; clients see it counted once it has a result. */
const isBegunTest = ({ is_test, state, attempts }: Omit<WebhookDeliveryModel, 'tries'>): boolean =>
  is_test && state === 'pending' && attempts > 0;

/** Renders a delivery for clients. */
export const toDelivery = (delivery: Omit<WebhookDeliveryModel, 'tries'>, event: EventOf): Delivery => ({
  id: delivery.id,
  webhook_id: delivery.webhook_id,
  event_id: delivery.event_id,
  event_type: event.type as EventType,
  payment_id: event.payment_id,
  checkout_id: event.checkout_id,
  sequence: event.sequence,
  test: delivery.is_test,
  state: delivery.state,
  attempts: isBegunTest(delivery) ? 0 : delivery.attempts,
  next_attempt_at: delivery.state === 'pending' && !isBegunTest(delivery) ? delivery.due_at.toISOString() : null,
  delivered_at: delivery.delivered_at?.toISOString() ?? null,
  created_at: delivery.created_at.toISOString(),
  updated_at: delivery.updated_at.toISOString(),
});

const requestOf = ({ event_id, event, tries }: ShownDeliveryModel): DeliveryDetails['request'] => {
  const last = tries.at(-1);
  if (last === undefined || event.body == null) return null;
  return { method: 'POST', url: last.url, headers: openHeaders(event_id, new Date(last.at)), body: event.body };
};

/** The same with requests and responses. Signatures and credentials are left out. */
export const toDetails = (delivery: ShownDeliveryModel): DeliveryDetails => ({
  ...toDelivery(delivery, delivery.event),
  request: requestOf(delivery),
  tries: delivery.tries.map(({ at, status, duration_ms, body, error }) => ({
    at,
    status,
    duration_ms,
    error,
    response: body,
  })),
});
