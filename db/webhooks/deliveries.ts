import type { Knex } from 'knex';
import { workflowIds } from '../../domain/workflow-ids.ts';
import type { DeliveryState, DeliveryTry } from '../../domain/ports/deliveries.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Sample, SamplePlace } from '../../domain/webhooks/sample.ts';
import { BaseModel, type CreatedFilter } from '../query/base-model.ts';
import { execute, rowsOf } from '../query/statements.ts';
import { assertBelowDeliveryLimit } from './due.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/**
 * Stores commands that start or wake the retry workflows of failing configurations, in the caller's transaction. Skips disabled
 * and deleted configurations. Renews undelivered commands, in the order of the workflow ids, so that two callers cannot deadlock.
 */
export const insertRetryCommands = async (trx: Knex, webhookIds: readonly string[]): Promise<void> => {
  if (webhookIds.length === 0) return;
  await execute(trx, { format: workflowIds.retryWebhooks('%s'), ids: [...webhookIds] })(`
WITH failing AS (
  SELECT format(:format, c.id) AS workflow_id, jsonb_build_object('type', 'retryWebhooks',
    'input', jsonb_build_object('webhookId', c.id),
    -- null in the operator's own configuration
    'search', jsonb_strip_nulls(jsonb_build_object('network_id', c.network_id))
      || jsonb_build_object('wallet_ids', to_jsonb(array_remove(ARRAY[c.wallet_id], NULL)),
        'node_ids', to_jsonb(array_remove(ARRAY[coalesce(c.node_id, w.node_id)], NULL)))) AS payload
  FROM webhook_configurations c LEFT JOIN wallets w ON w.id = c.wallet_id
  WHERE c.id = ANY(:ids) AND c.is_active AND c.deleted_at IS NULL
), command AS (
  INSERT INTO outbox (topic, group_key, workflow_id, payload)
  SELECT 'webhook_command', f.workflow_id, f.workflow_id, f.payload FROM failing f ORDER BY f.workflow_id
  ON CONFLICT (workflow_id) WHERE topic = 'webhook_command' AND delivered_at IS NULL
  DO UPDATE SET is_renewed = true WHERE NOT outbox.is_renewed
)
SELECT pg_notify('carat_outbox', '')`);
};

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
  const rows = await rowsOf<WebhookDeliveryModel>(trx, [deliveryId, webhookId])(
    `UPDATE webhook_deliveries SET ${again} WHERE id = ? AND webhook_id = ? RETURNING *`,
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
  const rows = await rowsOf(trx, [wanted.clone().select('id').orderBy('id').forNoKeyUpdate()])(
    `UPDATE webhook_deliveries SET ${again} WHERE id = ANY (ARRAY(?)) RETURNING 1`,
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
  const [place] = await rowsOf<SamplePlace>(trx, [webhookId])(`
     SELECT coalesce(c.node_id, w.node_id) AS node_id, n.chain_id, n.id AS network_id, w.id AS wallet_id, n.eip155
     FROM webhook_configurations c JOIN wallets w ON w.id = c.wallet_id JOIN networks n ON n.id = c.network_id WHERE c.id = ?`);
  if (place === undefined) throw new RangeError('The locked webhook has no wallet');
  return place;
};

/** Tests to keep per configuration, and most older ones that a new test deletes. */
const MAX_TESTS = 100;
const FORGOTTEN_AT_ONCE = 1_000;

/** Deletes the oldest surplus tests of a configuration, which the caller has locked. */
const forgetTests = async (trx: Knex, webhookId: string): Promise<void> => {
  await execute(trx, [webhookId])(`
WITH over AS MATERIALIZED (
  SELECT id, event_id FROM webhook_deliveries WHERE webhook_id = ? AND is_test
  ORDER BY id DESC OFFSET ${MAX_TESTS} LIMIT ${FORGOTTEN_AT_ONCE}
), events AS (
  DELETE FROM webhook_events WHERE id = ANY (ARRAY(SELECT event_id FROM over)) RETURNING id
), deliveries AS (
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(SELECT id FROM over))
)
SELECT id FROM events`);
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
  const [delivery] = await rowsOf<WebhookDeliveryModel>(trx, {
    type,
    webhook_id: webhookId,
    payment_id: told?.payment?.id ?? null,
    checkout_id: told?.checkout?.id ?? null,
    sequence: told?.sequence ?? null,
    snapshot: JSON.stringify(snapshotOf(told)),
  })(`
     WITH event AS (
       INSERT INTO webhook_events (type, payment_id, checkout_id, sequence, snapshot)
       VALUES (:type, :payment_id, :checkout_id, :sequence, :snapshot::jsonb) RETURNING id
     )
     INSERT INTO webhook_deliveries (webhook_id, event_id, is_test) SELECT :webhook_id, id, true FROM event RETURNING *`);
  if (delivery === undefined) throw new RangeError('The test delivery was not stored');
  await forgetTests(trx, webhookId);
  await wake(trx, webhookId);
  return delivery;
};

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
