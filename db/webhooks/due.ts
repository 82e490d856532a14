import type { Knex } from 'knex';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';
import type { DeliveryStore, DueDelivery, Receiver } from '../../domain/ports/deliveries.ts';
import { prepared, type Statement } from '../query/prepared.ts';

/** SQL on `webhook_deliveries d`: first attempts and retries. Each condition is that of a partial index. */
export const firsts = `d.state = 'pending' AND d.attempts = 0`;
export const retries = `d.state = 'pending' AND d.attempts > 0`;

/**
 * SQL: the configurations with deliveries of one kind. Skips through the index from one to the next, so that long backlogs cost
 * nothing.
 */
const waiting = (kind: string): string => {
  const next = (above: string): string =>
    `SELECT d.webhook_id FROM webhook_deliveries d WHERE ${kind} ${above} ORDER BY d.webhook_id LIMIT 1`;
  return `waiting AS (
    (${next('')})
    UNION ALL SELECT (${next('AND d.webhook_id > w.webhook_id')}) FROM waiting w WHERE w.webhook_id IS NOT NULL
  )`;
};

/** SQL: the configurations with pending deliveries. */
export const withPending = `WITH RECURSIVE ${waiting(firsts)} SELECT webhook_id FROM waiting
  UNION (WITH RECURSIVE ${waiting(retries)} SELECT webhook_id FROM waiting)`;

/** SQL: when the most overdue delivery of one kind was due. Reads one delivery of each configuration. */
const oldestOf = (kind: string, configuration: string, order: string): string =>
  `WITH RECURSIVE ${waiting(kind)} SELECT min(next.due_at) FROM waiting w
    JOIN webhook_configurations c ON c.id = w.webhook_id AND c.is_active AND c.deleted_at IS NULL AND ${configuration}
    CROSS JOIN LATERAL (SELECT d.due_at FROM webhook_deliveries d WHERE ${kind} AND d.webhook_id = c.id ORDER BY ${order} LIMIT 1) next`;

/** First attempts of a failing configuration wait behind its retries. */
export const oldestFirst = oldestOf(firsts, 'c.failing_since IS NULL', 'd.id');
export const oldestRetry = oldestOf(retries, 'true', 'd.due_at');

/** A row of `dueColumns`. */
export interface DueRow {
  id: string;
  event_id: string;
  type: string;
  body_bytes: number | null;
  owner_id: string;
  attempts: number;
  is_test: boolean;
  webhook_id: string;
  host: string;
  success_path: string;
  error_path: string;
  encrypted_credentials: Buffer;
  secrets: Buffer[];
}

/**
 * Converts rows. Deliveries of one configuration share one receiver object.
 * @param readAt a time before the query, which bounds the age of the rows
 */
export const toDues = (rows: readonly DueRow[], readAt: number): DueDelivery[] => {
  const receivers = new Map(rows.map((row) => [row.webhook_id, toReceiver(row, readAt)]));
  return rows.map((row) => toDue(row, receivers.get(row.webhook_id)!));
};

const toReceiver = (row: DueRow, readAt: number): Receiver => ({
  webhookId: row.webhook_id,
  readAt,
  ownerId: row.owner_id,
  host: row.host,
  successPath: row.success_path,
  errorPath: row.error_path,
  encryptedCredentials: row.encrypted_credentials,
  encryptedSecrets: row.secrets,
});

const toDue = (row: DueRow, receiver: Receiver): DueDelivery => ({
  id: row.id,
  eventId: row.event_id,
  type: row.type,
  bodyBytes: row.body_bytes,
  attempts: row.attempts,
  isTest: row.is_test,
  receiver,
});

/** SQL on configuration `c`: not the operator's own, to which all processes send by claims. */
export const ofMerchants = `c.id <> '${operatorWebhookId}'`;

/** SQL: the owner of configuration `c` of wallet `s`. All configurations of an owner share its limits. */
export const ownerOf = 'coalesce(c.node_id, s.node_id, c.id)';

/** SQL: the columns that an attempt needs. PostgreSQL knows the length of a body without reading it. */
export const dueColumns = `d.id, d.event_id, d.attempts, d.is_test, e.type, octet_length(e.body) AS body_bytes, ${ownerOf} AS owner_id, c.id AS webhook_id, c.host, c.success_path, c.error_path,
  c.encrypted_credentials, array_remove(ARRAY[c.encrypted_signing_secret, CASE WHEN c.previous_signing_secret_until
    > clock_timestamp() THEN c.previous_encrypted_signing_secret END], NULL) AS secrets`;
export const eventOfDelivery = `CROSS JOIN LATERAL (SELECT e.type, e.body FROM webhook_events e WHERE e.id = d.event_id OFFSET 0) e`;

const firstsStatement: Statement = {
  name: 'due_firsts',
  text: `
WITH RECURSIVE ${waiting(firsts)}, receivers AS MATERIALIZED (
  SELECT c.id, c.failing_since IS NOT NULL AS is_failing, coalesce(h.room, $2::int) AS room, coalesce(h.held, '{}') AS held,
    ${ownerOf} AS owner_id, sum(coalesce(cardinality(h.held), 0)) OVER (PARTITION BY ${ownerOf}) AS owner_held
  FROM waiting w JOIN webhook_configurations c ON c.id = w.webhook_id AND c.is_active AND c.deleted_at IS NULL AND ${ofMerchants}
  LEFT JOIN wallets s ON s.id = c.wallet_id
  LEFT JOIN jsonb_to_recordset($1::jsonb) AS h (webhook_id uuid, room int, held uuid[]) ON h.webhook_id = c.id
), picked AS MATERIALIZED (
  SELECT * FROM (
    SELECT d.*, cardinality(r.held) + d.nth AS turn, r.owner_held
        + row_number() OVER (PARTITION BY r.owner_id ORDER BY cardinality(r.held) + d.nth, d.id) AS of_owner
    FROM receivers r CROSS JOIN LATERAL (
      SELECT d.id, d.webhook_id, d.event_id, d.attempts, d.is_test, row_number() OVER (ORDER BY d.id) AS nth FROM webhook_deliveries d
      WHERE ${firsts} AND d.webhook_id = r.id AND d.id <> ALL (r.held) ORDER BY d.id LIMIT r.room) d
    WHERE NOT r.is_failing) d
  WHERE d.of_owner <= $4 ORDER BY d.turn, d.id LIMIT $3
)
SELECT f.failing, due.* FROM (SELECT array_agg(id) FILTER (WHERE is_failing) AS failing FROM receivers) f LEFT JOIN (
  SELECT ${dueColumns} FROM picked d ${eventOfDelivery} JOIN webhook_configurations c ON c.id = d.webhook_id
  LEFT JOIN wallets s ON s.id = c.wallet_id
) due ON true ORDER BY due.id`,
};

/** Finds first attempts of configurations that do not fail. */
export const selectDueFirsts =
  (knex: Knex): DeliveryStore['dueFirsts'] =>
  async (holders, { room, perOwner, limit }) => {
    const holding = holders.map((one) => ({ webhook_id: one.webhookId, room: one.room, held: one.held }));
    const readAt = performance.now();
    const rows = await prepared<(DueRow | { id: null }) & { failing: string[] | null }>(knex, firstsStatement, [
      JSON.stringify(holding),
      room,
      limit,
      perOwner,
    ]);
    const due = rows.filter((row): row is DueRow & { failing: string[] | null } => row.id !== null);
    return { due: toDues(due, readAt), failing: rows[0]?.failing ?? [] };
  };

/** SQL on configuration `c`: retries may send to it. */
const ofRetries = `c.id = :webhook_id AND c.is_active AND c.deleted_at IS NULL AND ${ofMerchants}`;

/** Finds due deliveries of one configuration for its retries. Tests come first, because they are few and a person waits. */
export const selectDueOf =
  (knex: Knex): DeliveryStore['dueOf'] =>
  async (webhookId, busy, limit) => {
    const readAt = performance.now();
    const { rows } = await knex.raw<{ rows: DueRow[] }>(
      `
SELECT ${dueColumns} FROM webhook_configurations c LEFT JOIN wallets s ON s.id = c.wallet_id CROSS JOIN LATERAL (
  (SELECT d.* FROM webhook_deliveries d WHERE ${retries} AND d.webhook_id = c.id AND d.due_at <= statement_timestamp()
     AND d.id <> ALL (:busy::uuid[]) ORDER BY d.due_at LIMIT :limit)
  UNION ALL (SELECT d.* FROM webhook_deliveries d WHERE ${firsts} AND d.webhook_id = c.id AND c.failing_since IS NOT NULL
     AND NOT d.is_test AND d.id <> ALL (:busy::uuid[]) ORDER BY d.id LIMIT :limit)
  -- the offset makes PostgreSQL use the index of tests, instead of filtering all pending deliveries
  UNION ALL (SELECT d.* FROM (SELECT * FROM webhook_deliveries WHERE webhook_id = c.id AND is_test OFFSET 0) d
     WHERE ${firsts} AND c.failing_since IS NOT NULL AND d.id <> ALL (:busy::uuid[]) ORDER BY d.id LIMIT :limit)
) d ${eventOfDelivery}
WHERE ${ofRetries} ORDER BY d.is_test DESC, d.due_at, d.id LIMIT :limit`,
      { webhook_id: webhookId, busy: [...busy], limit },
    );
    return toDues(rows, readAt);
  };

/** Computes the milliseconds until `selectDueOf` finds a delivery that is not put off. */
export const selectNextDue =
  (knex: Knex): DeliveryStore['nextDueMs'] =>
  async (webhookId, putOff) => {
    const { rows } = await knex.raw<{ rows: { ms: number | null }[] }>(
      `SELECT CASE WHEN c.failing_since IS NOT NULL
           AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE ${firsts} AND d.webhook_id = c.id AND d.id <> ALL (:put_off::uuid[])) THEN 0
         ELSE (SELECT greatest(0, ceil(extract(epoch FROM d.due_at - clock_timestamp()) * 1000))
           FROM webhook_deliveries d WHERE ${retries} AND d.webhook_id = c.id AND d.id <> ALL (:put_off::uuid[]) ORDER BY d.due_at LIMIT 1)
         END::double precision AS ms
       FROM webhook_configurations c WHERE ${ofRetries}`,
      { webhook_id: webhookId, put_off: [...putOff] },
    );
    return rows[0]?.ms ?? null;
  };

/** Finds disabled and deleted configurations with pending deliveries, and those whose retries are overdue. */
export const selectUntidy = async (
  knex: Knex,
  overdueMs: number,
): Promise<{ closed: readonly string[]; overdue: readonly string[] }> => {
  const { rows } = await knex.raw<{ rows: { id: string; is_over: boolean; is_late: boolean }[] }>(
    `
SELECT c.id, c.deleted_at IS NOT NULL OR NOT c.is_active AS is_over, coalesce((
  SELECT min(d.due_at) FROM webhook_deliveries d WHERE ${retries} AND d.webhook_id = c.id)
  < clock_timestamp() - make_interval(secs => :overdue_ms / 1000.0), false) AND ${ofMerchants} AS is_late
FROM webhook_configurations c WHERE c.id IN (${withPending})`,
    { overdue_ms: overdueMs },
  );
  return {
    closed: rows.filter((row) => row.is_over).map((row) => row.id),
    overdue: rows.filter((row) => !row.is_over && row.is_late).map((row) => row.id),
  };
};
