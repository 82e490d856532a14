/**
 * The part of a transition's statement that stores webhook events, in the same transaction and only when a configuration
 * receives the event. It selects the receivers once, and takes no locks.
 */
import { standingEvents } from '../../domain/webhook.ts';

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

/** SQL expression on `heard`: notifies the sender once. */
export const wakeSender = `(SELECT pg_notify('carat_webhook', '') FROM heard LIMIT 1)`;
