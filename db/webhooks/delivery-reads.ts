import type { Knex } from 'knex';
import type { DeliveryState } from '../../domain/ports/deliveries.ts';
import type { CreatedFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { WebhookDeliveryModel, type WebhookEventModel } from './deliveries.ts';

/** A delivery with its event. */
export class ShownDeliveryModel extends WebhookDeliveryModel {
  declare event: Pick<WebhookEventModel, 'type' | 'payment_id' | 'checkout_id' | 'sequence'> & {
    readonly body?: string | null;
  };
}

const withEvent = (columns: string): string => `(SELECT to_jsonb(shown) FROM (SELECT ${columns} FROM webhook_events e
  WHERE e.id = webhook_deliveries.event_id) AS shown) AS event`;

/** A delivery without its tries, which lists omit. */
export type ListedDeliveryModel = Omit<ShownDeliveryModel, 'tries'>;

const listedColumns = [
  'id',
  'webhook_id',
  'event_id',
  'state',
  'attempts',
  'due_at',
  'delivered_at',
  'is_test',
  'created_at',
  'updated_at',
].map((column) => `webhook_deliveries.${column}`);

/** Filters of the list of deliveries. */
export interface DeliveryFilter extends CreatedFilter {
  readonly webhookId: string;
  readonly state?: DeliveryState | undefined;
  /** Type of the event. */
  readonly type?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly checkoutId?: string | undefined;
}

/** Lists the deliveries of a configuration, newest first. */
export const listDeliveries = (
  knex: Knex,
  { webhookId, state, type, paymentId, checkoutId, ...created }: DeliveryFilter,
  request: PageRequest,
): Promise<Page<ListedDeliveryModel>> => {
  const query = ShownDeliveryModel.query(knex)
    .select(...listedColumns, knex.raw(withEvent('e.type, e.payment_id, e.checkout_id, e.sequence')))
    .matching({ webhook_id: webhookId, state })
    .createdWithin(created);
  if (paymentId !== undefined)
    void query.whereRaw('event_id IN (SELECT id FROM webhook_events WHERE payment_id = ?)', [paymentId]);
  if (checkoutId !== undefined)
    void query.whereRaw('event_id IN (SELECT id FROM webhook_events WHERE checkout_id = ?)', [checkoutId]);
  if (type !== undefined)
    void query.whereRaw('EXISTS (SELECT 1 FROM webhook_events e WHERE e.id = event_id AND e.type = ?)', [type]);
  return fetchPage(query, request);
};

/** Finds a delivery of a configuration, with the body of its event; null when it has none of this id. */
export const findDelivery = async (
  knex: Knex,
  webhookId: string,
  deliveryId: string,
): Promise<ShownDeliveryModel | null> => {
  const delivery = await ShownDeliveryModel.query(knex)
    .select('webhook_deliveries.*', knex.raw(withEvent('e.type, e.payment_id, e.checkout_id, e.sequence, e.body')))
    .findOne({ webhook_id: webhookId, id: deliveryId });
  return delivery ?? null;
};
