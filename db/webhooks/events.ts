/**
 * The part of a transition's statement that stores webhook events, in the same transaction and only when a configuration
 * receives the event. It selects the receivers once, and takes no locks.
 */
import { standingEvents } from '../../domain/webhook.ts';
import { showAlert, type AlertRow } from '../../domain/alerts/alert.ts';
import type { CheckoutFacts } from '../../domain/checkouts/checkout-facts.ts';
import type { PaymentFacts } from '../../domain/payment-facts.ts';
import type { StoredEvent } from '../../domain/ports/deliveries.ts';

/** The columns of `payments` in a snapshot. Those in the second list are numbers too large for JSON. */
const plainColumns = [
  'id',
  'external_id',
  'node_id',
  'chain_id',
  'network_id',
  'wallet_id',
  'member_id',
  'currency_id',
  'decimals',
  'payment_method',
  'payment_group',
  'payment_address',
  'metadata',
  'expires_at',
  'retry',
  'retry_count',
  'status',
  'status_detail',
  'diamond_address',
  'deal_tx_hash',
  'paid_tx_hash',
  'paid_at',
  'payer_address',
  'terminal_at',
  'created_at',
  'updated_at',
  'checkout_id',
];
const textColumns = ['price_units', 'paid_price_units', 'deal_id'];

/** The columns that `eventStatements` requires. */
export const eventColumns: readonly string[] = [...plainColumns, ...textColumns, 'sequence'];

const snapshot = `jsonb_build_object(${[
  ...plainColumns.map((name) => `'${name}', p.${name}`),
  ...textColumns.map((name) => `'${name}', p.${name}::text`),
].join(', ')})`;

/**
 * Common table expressions `heard`, `event` and `delivery`: one event per payment of `source`, and one delivery per configuration
 * that receives it, which is `skipped` for a disabled one.
 * @param source name of a table expression with `eventColumns`
 * @param event such as `payment.completed`
 */
export const eventStatements = (source: string, event: string): string => `
heard AS MATERIALIZED (
  SELECT p.id AS payment_id, c.id AS webhook_id, CASE WHEN c.is_active THEN 'pending' ELSE 'skipped' END AS state
  -- the offset makes PostgreSQL look up each payment by key, whatever the planner estimates
  FROM ${source} p CROSS JOIN LATERAL (
    SELECT c.id, c.is_active FROM webhook_configurations c
    WHERE c.wallet_id = p.wallet_id AND c.network_id = p.network_id AND c.deleted_at IS NULL
      AND (c.node_id IS NULL OR c.node_id = ANY ((SELECT n.path FROM nodes n WHERE n.id = p.node_id)::uuid[]))
      ${(standingEvents as readonly string[]).includes(event) ? '' : `AND '${event}' = ANY (c.events)`} OFFSET 0) c
), event AS (
  INSERT INTO webhook_events (type, payment_id, sequence, snapshot, created_at)
  SELECT '${event}', p.id, p.sequence, ${snapshot}, p.updated_at
  FROM ${source} p WHERE p.id = ANY (ARRAY(SELECT payment_id FROM heard)) ORDER BY p.id
  RETURNING id, payment_id
), delivery AS (
  INSERT INTO webhook_deliveries (webhook_id, event_id, state)
  SELECT h.webhook_id, e.id, h.state FROM event e JOIN heard h ON h.payment_id = e.payment_id ORDER BY e.id, h.webhook_id
)`;

/** The columns of `checkouts` that an event and an answer show. */
export const checkoutColumns = [
  'id',
  'external_id',
  'node_id',
  'payment_group',
  'payment_address',
  'metadata',
  'member_id',
  'success_url',
  'cancel_url',
  'locale',
  'on_chain_cancel',
  'items',
  'expires_at',
  'status',
  'choices',
  'cancel_requested_at',
  'terminal_at',
  'created_at',
  'updated_at',
] as const;

/** SQL of the items of a payment, by SQL of its id. */
export const itemsOf = (paymentId: string): string => `(
  SELECT coalesce(jsonb_agg(jsonb_build_object(
    'name', i.name, 'price_units', i.price_units::text, 'external_id', i.external_id) ORDER BY i.position), '[]')
  FROM payment_items i WHERE i.payment_id = ${paymentId})`;

/**
 * SQL: the options of an order of this alias, the ids of its payments, and the payment that was completed or is open.
 * @returns columns by their names
 */
export const checkoutParts = (checkout: string): Readonly<Record<'options' | 'payments' | 'payment', string>> => ({
  options: `(SELECT jsonb_agg(jsonb_build_object('network_id', o.network_id, 'wallet_id', o.wallet_id, 'currency_id', o.currency_id,
      'currency_symbol', y.symbol, 'eip155', n.eip155::text, 'chain_id', n.chain_id, 'decimals', o.decimals, 'price_units', o.price_units::text,
      'paid_price_units', o.paid_price_units::text, 'payment_address', o.payment_address) ORDER BY o.index)
    FROM checkout_options o JOIN currencies y ON y.id = o.currency_id JOIN networks n ON n.id = o.network_id
    WHERE o.checkout_id = ${checkout}.id)`,
  payments: `(SELECT coalesce(jsonb_agg(p.id ORDER BY p.choice), '[]') FROM payments p WHERE p.checkout_id = ${checkout}.id)`,
  payment: `(SELECT ${snapshot} || jsonb_build_object('currency_symbol', y.symbol, 'eip155', n.eip155::text, 'option_index', p.option_index,
      'success_url', p.success_url, 'cancel_url', p.cancel_url, 'locale', p.locale,
      'items', ${itemsOf('p.id')})
    FROM payments p JOIN currencies y ON y.id = p.currency_id JOIN networks n ON n.id = p.network_id
    WHERE p.checkout_id = ${checkout}.id AND (p.terminal_at IS NULL OR p.status = 'completed')
    ORDER BY p.status = 'completed' DESC, p.choice DESC LIMIT 1)`,
});

const checkoutSnapshot = `jsonb_build_object('checkout', jsonb_build_object(${[
  ...checkoutColumns.map((name) => `'${name}', c.${name}`),
  ...Object.entries(checkoutParts('c')).map(([name, sql]) => `'${name}', ${sql}`),
].join(', ')}))`;

/**
 * The same for orders: one event per order of `source`, to each configuration of the wallets and networks of its options that lists
 * the event, once.
 * @param source name of a table expression with all columns of `checkouts`
 */
export const checkoutEventStatements = (source: string, event: string): string => `
heard AS MATERIALIZED (
  SELECT c.id AS checkout_id, w.id AS webhook_id, CASE WHEN w.is_active THEN 'pending' ELSE 'skipped' END AS state
  FROM ${source} c CROSS JOIN LATERAL (
    SELECT w.id, w.is_active FROM webhook_configurations w
    WHERE (w.wallet_id, w.network_id) IN (SELECT o.wallet_id, o.network_id FROM checkout_options o WHERE o.checkout_id = c.id)
      AND w.deleted_at IS NULL AND '${event}' = ANY (w.events)
      AND (w.node_id IS NULL OR w.node_id = ANY ((SELECT n.path FROM nodes n WHERE n.id = c.node_id)::uuid[])) OFFSET 0) w
), event AS (
  INSERT INTO webhook_events (type, checkout_id, sequence, snapshot, created_at)
  SELECT '${event}', c.id, c.sequence, ${checkoutSnapshot}, c.updated_at
  FROM ${source} c WHERE c.id = ANY (ARRAY(SELECT checkout_id FROM heard)) ORDER BY c.id
  RETURNING id, checkout_id
), delivery AS (
  INSERT INTO webhook_deliveries (webhook_id, event_id, state)
  SELECT h.webhook_id, e.id, h.state FROM event e JOIN heard h ON h.checkout_id = e.checkout_id ORDER BY e.id, h.webhook_id
)`;

/** SQL expression on `heard`: notifies the sender once. */
export const wakeSender = `(SELECT pg_notify('carat_webhook', '') FROM heard LIMIT 1)`;

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
  CASE WHEN e.body IS NULL THEN ${itemsOf('e.payment_id')} END AS items,
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
