import type { Knex } from 'knex';
import type { DeliveryState, DeliveryTry } from '../../domain/ports/deliveries.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Sample, SamplePlace } from '../../domain/webhooks/sample.ts';
import { BaseModel } from '../query/base-model.ts';
import { insertRetryCommands } from './retry-commands.ts';
import { assertBelowDeliveryLimit } from './delivery-limit.ts';

/** The delivery of one event to one configuration. */
export class WebhookDeliveryModel extends BaseModel {
  static override readonly tableName = 'webhook_deliveries';

  declare id: string;
  declare webhook_id: string;
  /** The `webhook-id` of every attempt. */
  declare event_id: string;
  declare state: DeliveryState;
  /** Attempts since its creation or the last request to send it again. */
  declare attempts: number;
  /** Time of the next attempt, while it is pending. */
  declare due_at: Date;
  /** The last attempts, oldest first. */
  declare tries: readonly DeliveryTry[];
  declare delivered_at: Date | null;
  /** True for a test, which is sent once. */
  declare is_test: boolean;
  declare created_at: Date;
  declare updated_at: Date;
}

/** An event, with the same body for every configuration. */
export class WebhookEventModel extends BaseModel {
  static override readonly tableName = 'webhook_events';

  declare id: string;
  declare type: string;
  /** One of both, or none. */
  declare payment_id: string | null;
  declare checkout_id: string | null;
  /** Null in an event without a payment or an order. */
  declare sequence: number | null;
  /** Null until the first attempt. */
  declare body: string | null;
  declare created_at: Date;
}

/** Most deliveries per statement, because a backlog of days would exceed the statement timeout. */
const CLOSED_AT_ONCE = 10_000;

/**
 * Ends the pending deliveries of a configuration: `skipped` when it was disabled (they can be replayed), `canceled` when it was
 * deleted. Ends only a part of a long backlog; the rest is not sent, and the cleanup ends it. The caller has locked the
 * configuration.
 */
export const closePending = async (trx: Knex, webhookId: string, state: 'skipped' | 'canceled'): Promise<void> => {
  await trx.raw(
    // One query for each of the two partial indexes of pending deliveries.
    `WITH pending AS (
       (SELECT id FROM webhook_deliveries WHERE webhook_id = :webhook_id AND state = 'pending' AND attempts = 0 LIMIT :limit)
       UNION ALL
       (SELECT id FROM webhook_deliveries WHERE webhook_id = :webhook_id AND state = 'pending' AND attempts > 0 LIMIT :limit)
     )
     UPDATE webhook_deliveries SET state = :state, updated_at = clock_timestamp()
     WHERE id = ANY (ARRAY(SELECT id FROM webhook_deliveries WHERE id = ANY (ARRAY(SELECT id FROM pending))
       ORDER BY id FOR NO KEY UPDATE)) AND state = 'pending'`,
    { state, webhook_id: webhookId, limit: CLOSED_AT_ONCE },
  );
};

const again = `state = 'pending', attempts = 0, due_at = clock_timestamp(), delivered_at = NULL,
  updated_at = clock_timestamp()`;

/** Wakes the sender, and the retry workflow of a failing configuration. */
const wake = async (trx: Knex, webhookId: string): Promise<void> => {
  await trx.raw("SELECT pg_notify('carat_webhook', '')");
  const failing = await trx('webhook_configurations').where({ id: webhookId }).whereNotNull('failing_since');
  if (failing.length > 0) await insertRetryCommands(trx, [webhookId]);
};

/**
 * Sends a delivery again, in any state. Keeps its tries. The caller has locked the configuration.
 * @returns the delivery; null when the configuration has no such delivery
 */
export const redeliver = async (
  trx: Knex,
  webhookId: string,
  deliveryId: string,
): Promise<WebhookDeliveryModel | null> => {
  const { rows } = await trx.raw<{ rows: WebhookDeliveryModel[] }>(
    `UPDATE webhook_deliveries SET ${again} WHERE id = ? AND webhook_id = ? RETURNING *`,
    [deliveryId, webhookId],
  );
  if (rows[0] !== undefined) await wake(trx, webhookId);
  return rows[0] ?? null;
};

/** A replay of a configuration's deliveries by creation time: `from` is inclusive, `to` exclusive. */
export interface Replay {
  readonly webhookId: string;
  readonly from: Date;
  readonly to: Date;
  readonly includeDelivered: boolean;
}

/** Most deliveries per request, because more would exceed the statement timeout. */
const REPLAYED_AT_ONCE = 50_000;

/**
 * Sends failed and skipped deliveries of a period again, except tests. The caller has locked the configuration.
 * @returns the number of deliveries
 * @throws DomainError invalid_request when they are too many, too_many_undelivered when the node would have too many undelivered
 */
export const replay = async (trx: Knex, { webhookId, from, to, includeDelivered }: Replay): Promise<number> => {
  const states = includeDelivered ? ['failed', 'skipped', 'delivered'] : ['failed', 'skipped'];
  const wanted = trx('webhook_deliveries')
    .where({ webhook_id: webhookId, is_test: false })
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .whereIn('state', states);
  const counted = wanted
    .clone()
    .select(trx.raw('1'))
    .limit(REPLAYED_AT_ONCE + 1);
  const [{ count } = { count: 0 }] = await trx(counted.as('counted')).select<{ count: number }[]>(
    trx.raw('count(*)::integer'),
  );
  if (count > REPLAYED_AT_ONCE) {
    throw invalidRequest({
      path: '/body/to',
      message: `must select at most ${REPLAYED_AT_ONCE} deliveries; choose an earlier time`,
    });
  }
  if (count === 0) return 0;
  await assertBelowDeliveryLimit(trx, webhookId, count);
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `UPDATE webhook_deliveries SET ${again} WHERE id = ANY (ARRAY(?)) RETURNING 1`,
    [wanted.clone().select('id').orderBy('id').forNoKeyUpdate()],
  );
  await wake(trx, webhookId);
  return rows.length;
};

/** A test event, with a made-up payment or without one. */
export interface TestEvent {
  readonly type: string;
  readonly told: Sample | null;
}

/** Reads the ids for made-up payments of a configuration, which the caller has locked. */
export const placeOfWebhook = async (trx: Knex, webhookId: string): Promise<SamplePlace> => {
  const { rows } = await trx.raw<{ rows: SamplePlace[] }>(
    `SELECT coalesce(c.node_id, w.node_id) AS node_id, n.chain_id, n.id AS network_id, w.id AS wallet_id, n.eip155
     FROM webhook_configurations c JOIN wallets w ON w.id = c.wallet_id JOIN networks n ON n.id = c.network_id WHERE c.id = ?`,
    [webhookId],
  );
  const [place] = rows;
  if (place === undefined) throw new RangeError('The locked webhook has no wallet');
  return place;
};

/** Tests to keep per configuration, and most older ones that a new test deletes. */
const MAX_TESTS = 100;
const FORGOTTEN_AT_ONCE = 1_000;

/** Deletes the oldest surplus tests of a configuration, which the caller has locked. */
const forgetTests = async (trx: Knex, webhookId: string): Promise<void> => {
  await trx.raw(
    `
WITH over AS MATERIALIZED (
  SELECT id, event_id FROM webhook_deliveries WHERE webhook_id = ? AND is_test
  ORDER BY id DESC OFFSET ${MAX_TESTS} LIMIT ${FORGOTTEN_AT_ONCE}
), events AS (
  DELETE FROM webhook_events WHERE id = ANY (ARRAY(SELECT event_id FROM over)) RETURNING id
), deliveries AS (
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(SELECT id FROM over))
)
SELECT id FROM events`,
    [webhookId],
  );
};

const snapshotOf = (told: Sample | null): object => {
  if (told === null) return {};
  return { ...(told.payment ?? { checkout: told.checkout }), is_test: true };
};

/** Stores a test event and its delivery to a configuration, which the caller has locked. Deletes its oldest surplus tests. */
export const insertTest = async (
  trx: Knex,
  webhookId: string,
  { type, told }: TestEvent,
): Promise<WebhookDeliveryModel> => {
  const { rows } = await trx.raw<{ rows: WebhookDeliveryModel[] }>(
    `WITH event AS (
       INSERT INTO webhook_events (type, payment_id, checkout_id, sequence, snapshot)
       VALUES (:type, :payment_id, :checkout_id, :sequence, :snapshot::jsonb) RETURNING id
     )
     INSERT INTO webhook_deliveries (webhook_id, event_id, is_test) SELECT :webhook_id, id, true FROM event RETURNING *`,
    {
      type,
      webhook_id: webhookId,
      payment_id: told?.payment?.id ?? null,
      checkout_id: told?.checkout?.id ?? null,
      sequence: told?.sequence ?? null,
      snapshot: JSON.stringify(snapshotOf(told)),
    },
  );
  const [delivery] = rows;
  if (delivery === undefined) throw new RangeError('The test delivery was not stored');
  await forgetTests(trx, webhookId);
  await wake(trx, webhookId);
  return delivery;
};
