import type { Knex } from 'knex';
import { operatorWebhookId } from '../../domain/alert.ts';
import type { DeliveryStore, DueDelivery, Receiver } from '../../domain/ports/deliveries.ts';
import { prepared, type Statement } from '../query/prepared.ts';

/** SQL over `webhook_deliveries d`, as the two indexes have it: what was never tried since it was wanted, and what was. */
export const firsts = `d.state = 'pending' AND d.attempts = 0`;
export const retries = `d.state = 'pending' AND d.attempts > 0`;

/**
 * SQL: the configurations that have deliveries of one of these kinds. It steps from one to the next in the index, so what one
 * of them has waiting costs nothing.
 */
const waiting = (kind: string): string => {
  const next = (above: string): string =>
    `SELECT d.webhook_id FROM webhook_deliveries d WHERE ${kind} ${above} ORDER BY d.webhook_id LIMIT 1`;
  return `waiting AS (
    (${next('')})
    UNION ALL SELECT (${next('AND d.webhook_id > w.webhook_id')}) FROM waiting w WHERE w.webhook_id IS NOT NULL
  )`;
};

/** SQL: the configurations that have something pending. */
export const withPending = `WITH RECURSIVE ${waiting(firsts)} SELECT webhook_id FROM waiting
  UNION (WITH RECURSIVE ${waiting(retries)} SELECT webhook_id FROM waiting)`;

/** A delivery as `dueColumns` tell of it. */
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
  sealed_credentials: Buffer;
  secrets: Buffer[];
}

/**
 * Deliveries of one configuration share what is said of it.
 * @param readAt before the database was asked: what it has answered may be that old
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
  encryptedCredentials: row.sealed_credentials,
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

/** SQL over configuration `c`: not the operator's own, which every process sends to by claims. */
export const ofMerchants = `c.id <> '${operatorWebhookId}'`;

/** SQL: the node that hears by configuration `c` of wallet `s`. All that it hears by share what is in hand at once, and what is stored. */
export const ownerOf = 'coalesce(c.node_id, s.node_id, c.id)';

/** SQL: what an attempt needs of delivery, event and configuration. How long a body is costs no reading of it. */
export const dueColumns = `d.id, d.event_id, d.attempts, d.is_test, e.type, octet_length(e.body) AS body_bytes, ${ownerOf} AS owner_id, c.id AS webhook_id, c.host, c.success_path, c.error_path,
  c.sealed_credentials, array_remove(ARRAY[c.sealed_signing_secret, CASE WHEN c.previous_signing_secret_until
    > clock_timestamp() THEN c.previous_sealed_signing_secret END], NULL) AS secrets`;
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

/** First attempts of configurations that take what they are sent. */
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

/** SQL over configuration `c`: what the retries of a configuration send. First attempts only while it fails. */
const ofRetries = `c.id = :webhook_id AND c.is_active AND c.deleted_at IS NULL AND ${ofMerchants}`;

/** What is due of one configuration for its retries. Tests go first: somebody looks on, and there are few. */
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
  -- the offset has them found by their own index, and not among all that waits
  UNION ALL (SELECT d.* FROM (SELECT * FROM webhook_deliveries WHERE webhook_id = c.id AND is_test OFFSET 0) d
     WHERE ${firsts} AND c.failing_since IS NOT NULL AND d.id <> ALL (:busy::uuid[]) ORDER BY d.id LIMIT :limit)
) d ${eventOfDelivery}
WHERE ${ofRetries} ORDER BY d.is_test DESC, d.due_at, d.id LIMIT :limit`,
      { webhook_id: webhookId, busy: [...busy], limit },
    );
    return toDues(rows, readAt);
  };

/** When there is something due in the sense of `selectDueOf`. */
export const selectNextDue =
  (knex: Knex): DeliveryStore['nextDueMs'] =>
  async (webhookId) => {
    const { rows } = await knex.raw<{ rows: { ms: number | null }[] }>(
      `SELECT CASE WHEN c.failing_since IS NOT NULL
           AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE ${firsts} AND d.webhook_id = c.id) THEN 0
         ELSE (SELECT greatest(0, ceil(extract(epoch FROM d.due_at - clock_timestamp()) * 1000))
           FROM webhook_deliveries d WHERE ${retries} AND d.webhook_id = c.id ORDER BY d.due_at LIMIT 1)
         END::double precision AS ms
       FROM webhook_configurations c WHERE ${ofRetries}`,
      { webhook_id: webhookId },
    );
    return rows[0]?.ms ?? null;
  };

/** Configurations that are over or disabled and have something pending, and those whose retries are late by that much. */
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
