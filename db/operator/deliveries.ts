import type { Knex } from 'knex';
import type { DeliveryState, DeliveryTry } from '../../domain/ports/deliveries.ts';
import { rowsOf } from '../query/statements.ts';
import { firsts, retries, undelivered } from '../webhooks/due.ts';

/** A delivery with the target of its webhook, its event, and its last try. */
export interface DeliveryLook {
  readonly id: string;
  readonly webhook_id: string;
  readonly host: string;
  readonly event_type: string;
  readonly payment_id: string | null;
  readonly checkout_id: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created_at: Date;
  /** Null unless it is pending. */
  readonly next_attempt_at: Date | null;
  readonly delivered_at: Date | null;
  readonly last_try: Pick<DeliveryTry, 'at' | 'status' | 'error' | 'duration_ms'> | null;
}

const lastTry = `(SELECT jsonb_build_object('at', t ->> 'at', 'status', t -> 'status', 'error', t ->> 'error', 'duration_ms', t -> 'duration_ms')
  FROM (SELECT d.tries -> -1 AS t) last WHERE t IS NOT NULL)`;

const look = `SELECT d.id, d.webhook_id, c.host, e.type AS event_type, e.payment_id, e.checkout_id, d.state, d.attempts, d.created_at,
    CASE WHEN d.state = 'pending' THEN d.due_at END AS next_attempt_at, d.delivered_at, ${lastTry} AS last_try
  FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id JOIN webhook_configurations c ON c.id = d.webhook_id`;

/** Reads the deliveries about a payment to all webhooks, oldest first. */
export const deliveriesOfPayment = (knex: Knex, paymentId: string): Promise<DeliveryLook[]> =>
  rowsOf<DeliveryLook>(knex, { payment_id: paymentId })(
    `${look} WHERE e.payment_id = :payment_id ORDER BY e.sequence, d.id LIMIT 200`,
  );

/** Reads the deliveries of a webhook, newest first. */
export const deliveriesOfWebhook = (
  knex: Knex,
  wanted: { readonly webhookId: string; readonly state: DeliveryState | null; readonly limit: number },
): Promise<DeliveryLook[]> =>
  rowsOf<DeliveryLook>(knex, { webhook_id: wanted.webhookId, state: wanted.state, limit: wanted.limit })(`
     ${look} WHERE d.webhook_id = :webhook_id AND (:state::text IS NULL OR d.state = :state)
     ORDER BY d.created_at DESC, d.id DESC LIMIT :limit`);

/** A webhook with its backlog. */
export interface WebhookLook {
  readonly id: string;
  readonly host: string;
  /** Name of the wallet's node; null for the operator's own webhook. */
  readonly node: string | null;
  readonly is_active: boolean;
  readonly disabled_reason: string | null;
  /** Time since which no attempt has succeeded. */
  readonly failing_since: Date | null;
  /** Pending deliveries, counted up to `COUNTED`. */
  readonly pending: number;
  readonly oldest_pending_at: Date | null;
}

/** Most pending deliveries of a webhook that are counted, of each kind. */
export const COUNTED_DELIVERIES = 10_000;

/** Reads the webhooks that are not deleted: those with trouble first, then by backlog. */
export const readWebhooks = async (knex: Knex, limit: number): Promise<WebhookLook[]> => {
  const oldest = [firsts, retries].map(
    (kind) => `(SELECT min(d.created_at) FROM (SELECT d.created_at FROM webhook_deliveries d
       WHERE ${kind} AND d.webhook_id = c.id LIMIT :most) d)`,
  );
  return rowsOf<WebhookLook>(knex, { most: COUNTED_DELIVERIES, limit })(`
     SELECT c.id, c.host, n.name AS node, c.is_active, c.disabled_reason, c.failing_since,
       (${undelivered})::int AS pending, least(${oldest.join(', ')}) AS oldest_pending_at
     FROM webhook_configurations c LEFT JOIN wallets w ON w.id = c.wallet_id LEFT JOIN nodes n ON n.id = coalesce(c.node_id, w.node_id)
     WHERE c.deleted_at IS NULL
     ORDER BY c.failing_since NULLS LAST, c.disabled_reason NULLS LAST, pending DESC, c.host, c.id LIMIT :limit`);
};
