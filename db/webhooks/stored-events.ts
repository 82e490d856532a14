import { showAlert, type AlertRow } from '../../domain/alerts/alert.ts';
import type { CheckoutFacts } from '../../domain/checkouts/checkout-facts.ts';
import type { PaymentFacts } from '../../domain/payment-facts.ts';
import type { StoredEvent } from '../../domain/ports/deliveries.ts';

type Place = Pick<PaymentFacts, 'currency_symbol' | 'eip155'>;
type PageFields = Pick<PaymentFacts, 'success_url' | 'cancel_url' | 'locale'>;
type Times = Pick<PaymentFacts, 'expires_at' | 'paid_at' | 'terminal_at' | 'created_at' | 'updated_at'>;

/** The stored snapshot of a payment. Snapshots of earlier versions may lack newer fields. */
type Snapshot = Omit<PaymentFacts, keyof Place | keyof PageFields | keyof Times | 'items'> & {
  readonly [Name in keyof Times]: string | Exclude<Times[Name], Date>;
};

/** The snapshot of a payment with its items, symbol, network and option. */
type ChosenSnapshot = Snapshot & Place & PageFields & Pick<PaymentFacts, 'items'> & { readonly option_index: number };

/** The stored snapshot of an order. */
type CheckoutSnapshot = Omit<CheckoutFacts, CheckoutTime | 'payment'> & {
  readonly [Name in CheckoutTime]: string | Exclude<CheckoutFacts[Name], Date>;
} & {
  readonly payment: ChosenSnapshot | null;
};
type CheckoutTime = 'expires_at' | 'cancel_requested_at' | 'terminal_at' | 'created_at' | 'updated_at';

/** A row of `storedEventColumns`. */
export interface EventRow extends Place {
  /** Null for a payment that is made up. */
  readonly page: PageFields | null;
  readonly event_id: string;
  readonly type: string;
  readonly body: string | null;
  readonly sequence: number | null;
  readonly event_at: Date;
  readonly is_test: boolean;
  /** Null once the body is rendered. */
  readonly snapshot: Snapshot | null;
  readonly items: PaymentFacts['items'];
}

/** SQL on `webhook_events e`: its body, or its snapshot. Joins the rest, which never changes for a payment. */
export const storedEventColumns = `e.type, e.body, e.sequence, e.created_at AS event_at,
  coalesce((e.snapshot ->> 'is_test')::boolean, false) AS is_test,
  CASE WHEN e.body IS NULL THEN e.snapshot END AS snapshot,
  CASE WHEN e.body IS NULL THEN (
    SELECT coalesce(jsonb_agg(ordered.item), '[]') FROM (
      SELECT jsonb_build_object('name', i.name, 'price_units', i.price_units::text, 'external_id', i.external_id) AS item
      FROM payment_items i WHERE i.payment_id = e.payment_id ORDER BY i.position) ordered) END AS items,
  CASE WHEN e.body IS NULL THEN (SELECT jsonb_build_object('success_url', p.success_url, 'cancel_url', p.cancel_url, 'locale', p.locale)
    FROM payments p WHERE p.id = e.payment_id) END AS page,
  coalesce((SELECT c.symbol FROM currencies c WHERE c.id = (e.snapshot ->> 'currency_id')::uuid),
    -- a test has no such currency
    e.snapshot ->> 'currency_symbol') AS currency_symbol,
  (SELECT n.eip155 FROM networks n WHERE n.id = (e.snapshot ->> 'network_id')::uuid) AS eip155`;

const toTime = (text: string | null | undefined): Date | null => (text == null ? null : new Date(text));

const timesOf = (snapshot: Snapshot): Times => ({
  expires_at: new Date(snapshot.expires_at),
  paid_at: toTime(snapshot.paid_at),
  terminal_at: toTime(snapshot.terminal_at),
  created_at: new Date(snapshot.created_at),
  updated_at: new Date(snapshot.updated_at),
});

/** Converts the payment of an order as PostgreSQL writes it as JSON. */
export const toPaymentFacts = (snapshot: ChosenSnapshot): NonNullable<CheckoutFacts['payment']> => ({
  ...snapshot,
  ...timesOf(snapshot),
});

const toCheckoutFacts = (snapshot: CheckoutSnapshot): CheckoutFacts => ({
  ...snapshot,
  payment: snapshot.payment === null ? null : toPaymentFacts(snapshot.payment),
  expires_at: new Date(snapshot.expires_at),
  cancel_requested_at: toTime(snapshot.cancel_requested_at),
  terminal_at: toTime(snapshot.terminal_at),
  created_at: new Date(snapshot.created_at),
  updated_at: new Date(snapshot.updated_at),
});

/** Converts a row to an event, with its payment or order as it was. */
export const toStoredEvent = (row: EventRow, snapshot: Snapshot): StoredEvent => {
  const { event_id: id, type, sequence, event_at: at, is_test: isTest, items, currency_symbol, eip155 } = row;
  const page = row.page ?? { success_url: null, cancel_url: null, locale: null };
  const event = { id, type, sequence, at, isTest, payment: null, checkout: null, alert: null, intervalSeconds: null };
  if (type.startsWith('alert.')) return { ...event, alert: showAlert(snapshot as unknown as AlertRow) };
  if (type === 'carat.alive') {
    const { interval_seconds: intervalSeconds } = snapshot as unknown as { interval_seconds: number };
    return { ...event, intervalSeconds };
  }
  if (type.startsWith('checkout.')) {
    const { checkout } = snapshot as unknown as { checkout: CheckoutSnapshot };
    return { ...event, checkout: toCheckoutFacts(checkout) };
  }
  if (sequence === null) return event;
  return { ...event, payment: { ...snapshot, ...timesOf(snapshot), ...page, currency_symbol, eip155, items } };
};
