import type { Knex } from 'knex';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';
import { DomainError } from '../../domain/errors.ts';
import type { DueDelivery, FirstLook, Holder, Receiver } from '../../domain/ports/deliveries.ts';
import { idsOf, type Joined, prepared, rowOf, rowsOf, type Statement } from '../query/statements.ts';

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

/** A row of `dueColumns`: a delivery, beside the columns of its receiver. */
export type DueRow = Omit<DueDelivery, 'receiver'> & Omit<Receiver, 'readAt'>;

/**
 * Converts rows. Deliveries of one configuration share one receiver object.
 * @param readAt a time before the query, which bounds the age of the rows
 */
export const toDues = (rows: readonly DueRow[], readAt: number): DueDelivery[] => {
  const receivers = new Map<string, Receiver>();
  return rows.map(({ id, eventId, type, bodyBytes, attempts, isTest, webhookId, ...of }) => {
    const { ownerId, host, successPath, errorPath, encryptedCredentials, encryptedSecrets } = of;
    const target = { ownerId, host, successPath, errorPath, encryptedCredentials, encryptedSecrets };
    const receiver = receivers.get(webhookId) ?? { webhookId, readAt, ...target };
    receivers.set(webhookId, receiver);
    return { id, eventId, type, bodyBytes, attempts, isTest, receiver };
  });
};

/** SQL on configuration `c`: not the operator's own, to which all processes send by claims. */
export const ofMerchants = `c.id <> '${operatorWebhookId}'`;

/** SQL: the owner of configuration `c` of wallet `s`. All configurations of an owner share its limits. */
export const ownerOf = 'coalesce(c.node_id, s.node_id, c.id)';

/** SQL: the columns that an attempt needs. PostgreSQL knows the length of a body without reading it. */
export const dueColumns = `d.id, d.event_id AS "eventId", d.attempts, d.is_test AS "isTest", e.type, octet_length(e.body) AS "bodyBytes",
  ${ownerOf} AS "ownerId", c.id AS "webhookId", c.host, c.success_path AS "successPath", c.error_path AS "errorPath",
  c.encrypted_credentials AS "encryptedCredentials", array_remove(ARRAY[c.encrypted_signing_secret, CASE WHEN c.previous_signing_secret_until
    > clock_timestamp() THEN c.previous_encrypted_signing_secret END], NULL) AS "encryptedSecrets"`;
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

/**
 * Finds due first attempts of configurations that are active and not failing, oldest first: as many per configuration as it
 * has room for, so many per node that it has at most `perOwner` in hand, and at most `limit` in all. Configurations with the
 * fewest in hand come first.
 * @param holders configurations with deliveries in hand; `room` is that of all other configurations
 */
export const selectDueFirsts = async (
  knex: Knex,
  holders: readonly Holder[],
  { room, perOwner, limit }: { readonly room: number; readonly perOwner: number; readonly limit: number },
): Promise<FirstLook> => {
  const holding = holders.map((one) => ({ webhook_id: one.webhookId, room: one.room, held: one.held }));
  const readAt = performance.now();
  const values = [JSON.stringify(holding), room, limit, perOwner];
  const rows = await prepared<Joined<DueRow> & { failing: string[] | null }>(knex, firstsStatement, values);
  const due = rows.filter((row): row is DueRow & { failing: string[] | null } => row.id !== null);
  return { due: toDues(due, readAt), failing: rows[0]?.failing ?? [] };
};

/** SQL on configuration `c`: retries may send to it. */
const ofRetries = `c.id = :webhook_id AND c.is_active AND c.deleted_at IS NULL AND ${ofMerchants}`;

/**
 * Finds due deliveries of a failing configuration: retries, and first attempts while it fails. Tests come first, because they are few
 * and a person waits.
 */
export const selectDueOf = async (
  knex: Knex,
  webhookId: string,
  busy: readonly string[],
  limit: number,
): Promise<readonly DueDelivery[]> => {
  const readAt = performance.now();
  const rows = await rowsOf<DueRow>(knex, { webhook_id: webhookId, busy: [...busy], limit })(`
SELECT ${dueColumns} FROM webhook_configurations c LEFT JOIN wallets s ON s.id = c.wallet_id CROSS JOIN LATERAL (
  (SELECT d.* FROM webhook_deliveries d WHERE ${retries} AND d.webhook_id = c.id AND d.due_at <= statement_timestamp()
   AND d.id <> ALL (:busy::uuid[]) ORDER BY d.due_at LIMIT :limit)
  UNION ALL (SELECT d.* FROM webhook_deliveries d WHERE ${firsts} AND d.webhook_id = c.id AND c.failing_since IS NOT NULL
   AND NOT d.is_test AND d.id <> ALL (:busy::uuid[]) ORDER BY d.id LIMIT :limit)
  -- the offset makes PostgreSQL use the index of tests, instead of filtering all pending deliveries
  UNION ALL (SELECT d.* FROM (SELECT * FROM webhook_deliveries WHERE webhook_id = c.id AND is_test OFFSET 0) d
   WHERE ${firsts} AND c.failing_since IS NOT NULL AND d.id <> ALL (:busy::uuid[]) ORDER BY d.id LIMIT :limit)
) d ${eventOfDelivery}
WHERE ${ofRetries} ORDER BY d.is_test DESC, d.due_at, d.id LIMIT :limit`);
  return toDues(rows, readAt);
};

/** Milliseconds until `selectDueOf` finds a delivery that is not put off; null when it will find none. */
export const selectNextDue = async (
  knex: Knex,
  webhookId: string,
  putOff: readonly string[],
): Promise<number | null> => {
  const rows = await rowsOf<{ ms: number | null }>(knex, { webhook_id: webhookId, put_off: [...putOff] })(`
     SELECT CASE WHEN c.failing_since IS NOT NULL
         AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE ${firsts} AND d.webhook_id = c.id AND d.id <> ALL (:put_off::uuid[])) THEN 0
       ELSE (SELECT greatest(0, ceil(extract(epoch FROM d.due_at - clock_timestamp()) * 1000))
         FROM webhook_deliveries d WHERE ${retries} AND d.webhook_id = c.id AND d.id <> ALL (:put_off::uuid[]) ORDER BY d.due_at LIMIT 1)
       END::double precision AS ms
     FROM webhook_configurations c WHERE ${ofRetries}`);
  return rows[0]?.ms ?? null;
};

/** Finds disabled and deleted configurations with pending deliveries, and those whose retries are overdue. */
export const selectUntidy = async (
  knex: Knex,
  overdueMs: number,
): Promise<{ closed: readonly string[]; overdue: readonly string[] }> => {
  const rows = await rowsOf<{ id: string; is_over: boolean; is_late: boolean }>(knex, { overdue_ms: overdueMs })(`
SELECT c.id, c.deleted_at IS NOT NULL OR NOT c.is_active AS is_over, coalesce((
  SELECT min(d.due_at) FROM webhook_deliveries d WHERE ${retries} AND d.webhook_id = c.id)
  < clock_timestamp() - make_interval(secs => :overdue_ms / 1000.0), false) AND ${ofMerchants} AS is_late
FROM webhook_configurations c WHERE c.id IN (${withPending})`);
  return {
    closed: rows.filter((row) => row.is_over).map((row) => row.id),
    overdue: rows.filter((row) => !row.is_over && row.is_late).map((row) => row.id),
  };
};

/**
 * Reads deliveries in hand again, with their present receivers and without those that are no longer due. The statement is not prepared, and selects by id first;
 * otherwise PostgreSQL might read all deliveries of a configuration.
 */
export const rereadDeliveries = async (knex: Knex, ids: readonly string[]): Promise<readonly DueDelivery[]> => {
  const readAt = performance.now();
  const rows = await rowsOf<DueRow>(knex, { ids })(`
     WITH held AS MATERIALIZED (SELECT * FROM webhook_deliveries WHERE id = ANY (:ids) AND state = 'pending'
       -- otherwise another process has begun or tried it
       AND (attempts = 0 OR due_at <= clock_timestamp()))
     SELECT ${dueColumns} FROM held d ${eventOfDelivery}
     JOIN webhook_configurations c ON c.id = d.webhook_id AND c.is_active AND c.deleted_at IS NULL
     LEFT JOIN wallets s ON s.id = c.wallet_id`);
  return toDues(rows, readAt);
};

/** Time for which a begun test is left to its process: longer than an attempt and its recording. */
const BEGUN = "interval '1 minute'";

/**
 * Marks tests as begun, each once and durably before it is sent, so that no other process sends it. A begun test without a result is
 * due again for the retries, which end it.
 * @returns the tests that were not begun before
 */
export const beginTests = (knex: Knex, ids: readonly string[]): Promise<readonly string[]> =>
  idsOf(knex, { ids })(`
       UPDATE webhook_deliveries SET attempts = 1, due_at = clock_timestamp() + ${BEGUN}
       WHERE id = ANY (ARRAY(SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY (:ids) AND d.is_test AND ${firsts}
         ORDER BY d.id FOR NO KEY UPDATE)) RETURNING id`);

/** Most undelivered deliveries of a node for further replays. */
export const MAX_UNDELIVERED = 100_000;

/** SQL: number of undelivered deliveries of configuration `c`. Counts up to `:most` of each kind. */
export const undelivered = [firsts, retries]
  .map(
    (kind) =>
      `(SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries d WHERE ${kind} AND d.webhook_id = c.id LIMIT :most) one)`,
  )
  .join(' + ');

/** SQL: the active configurations `c` of merchants, with their wallets `s`. */
export const activeOnes = `webhook_configurations c LEFT JOIN wallets s ON s.id = c.wallet_id
  WHERE c.is_active AND c.deleted_at IS NULL AND ${ofMerchants}`;

/**
 * Makes sure that so many more deliveries of a configuration can be replayed. The caller has locked the configuration.
 * @throws DomainError too_many_undelivered
 */
export const assertBelowDeliveryLimit = async (trx: Knex, webhookId: string, more: number): Promise<void> => {
  // Locked, so that concurrent requests count each other.
  const nodes = await rowsOf<{ id: string }>(trx, [webhookId])(`
       SELECT n.id FROM nodes n WHERE n.id = (SELECT ${ownerOf} FROM webhook_configurations c
       LEFT JOIN wallets s ON s.id = c.wallet_id WHERE c.id = ?) FOR NO KEY UPDATE`);
  const { waiting } = await rowOf<{ waiting: number }>(trx, { node: nodes[0]!.id, most: MAX_UNDELIVERED + 1 })(
    `SELECT coalesce(sum(${undelivered}), 0)::integer AS waiting FROM ${activeOnes} AND ${ownerOf} = :node`,
  );
  if (waiting + more <= MAX_UNDELIVERED) return;
  const message = `The node may have ${MAX_UNDELIVERED} undelivered deliveries and would have ${waiting + more}`;
  throw new DomainError('too_many_undelivered', message);
};
