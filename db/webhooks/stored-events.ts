import { showAlert, type AlertRow } from '../../domain/alert.ts';
import type { PaymentFacts } from '../../domain/payment-facts.ts';
import type { StoredEvent } from '../../domain/ports/deliveries.ts';

type Snapshot = Omit<PaymentFacts, 'expires_at' | 'created_at' | 'updated_at' | 'items'> &
  Record<'expires_at' | 'created_at' | 'updated_at', string>;

/** An event as `storedEventColumns` tell of it. */
export interface EventRow {
  readonly event_id: string;
  readonly type: string;
  readonly body: string | null;
  readonly sequence: number | null;
  readonly event_at: Date;
  /** Null where the body is made. */
  readonly snapshot: Snapshot | null;
  readonly items: PaymentFacts['items'];
}

/** SQL over `webhook_events e`: its body, or what that is made of. The items of a payment never change. */
export const storedEventColumns = `e.type, e.body, e.sequence, e.created_at AS event_at,
  CASE WHEN e.body IS NULL THEN e.snapshot END AS snapshot,
  CASE WHEN e.body IS NULL THEN (
    SELECT coalesce(jsonb_agg(ordered.item), '[]') FROM (
      SELECT jsonb_build_object('name', i.name, 'price_units', i.price_units::text, 'external_id', i.external_id) AS item
      FROM payment_items i WHERE i.payment_id = e.payment_id ORDER BY i.position) ordered) END AS items`;

/** An event with its payment as it was. */
export const toStoredEvent = (row: EventRow, snapshot: Snapshot): StoredEvent => {
  const { event_id: id, type, sequence, event_at: at, items } = row;
  const event = { id, type, sequence, at, alert: null };
  if (type.startsWith('alert.')) {
    return { ...event, payment: null, alert: showAlert(snapshot as unknown as AlertRow) };
  }
  if (sequence === null) return { ...event, payment: null };
  const { expires_at, created_at, updated_at } = snapshot;
  const times = {
    expires_at: new Date(expires_at),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  };
  return { ...event, payment: { ...snapshot, ...times, items } };
};
