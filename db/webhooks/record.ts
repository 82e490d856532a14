import type { Knex } from 'knex';
import type { DeliveryResult, DisabledReceiver, Recorded } from '../../domain/ports/deliveries.ts';
import { rowsOf } from '../query/statements.ts';
import { closePending, insertRetryCommands } from './deliveries.ts';

/** Stored tries per delivery. */
const MAX_TRIES = 20;

/** A configuration is disabled after so long without a success. */
const PATIENCE = "interval '5 days'";

/** SQL on configuration `c` and its results `s`: the results change the configuration. */
const isTold = `c.deleted_at IS NULL AND (c.failing_since IS NOT NULL OR NOT s.ends_well OR s.gone <> '[]')`;

/**
 * SQL: the configuration still has a URL whose receiver responded with 410. The configuration may have another URL by
 * now.
 */
const isThere = `EXISTS (SELECT 1 FROM jsonb_to_recordset(s.gone) AS g (host text, path text)
  WHERE g.host = c.host AND g.path IN (c.success_path, c.error_path))`;

interface Said {
  readonly id: string;
  readonly ends_well: boolean;
  readonly has_success: boolean;
  /** The URLs whose receivers responded with 410. */
  readonly gone: readonly DeliveryResult['place'][];
}

/** Summarises results, in the order of their attempts, by configuration. Ignores tests. */
const saidOf = (all: readonly DeliveryResult[]): Said[] => {
  const results = all.filter(({ isTest }) => !isTest);
  const ids = [...new Set(results.map((result) => result.webhookId))].sort();
  return ids.map((id) => {
    const own = results.filter(({ webhookId }) => webhookId === id);
    const outcomes = own.map(({ outcome }) => outcome);
    return {
      id,
      ends_well: outcomes.at(-1) === 'delivered',
      has_success: outcomes.includes('delivered'),
      gone: own.filter(({ outcome }) => outcome === 'gone').map(({ place }) => place),
    };
  });
};

/**
 * Records which configurations started to fail, recovered, or are disabled. Locks and writes only the rows that change.
 * @returns the changes, and the configurations that were skipped because their rows are locked elsewhere
 */
const recordReceivers = async (
  trx: Knex,
  results: readonly DeliveryResult[],
): Promise<Pick<Recorded, 'turned' | 'disabled'> & { readonly held: readonly string[] }> => {
  const rows = await rowsOf<{
    id: string;
    reason: DisabledReceiver['reason'] | null;
    turned: boolean | null;
    is_held: boolean;
  }>(trx, { said: JSON.stringify(saidOf(results)) })(`
WITH said AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(:said::jsonb) AS s (id uuid, ends_well boolean, has_success boolean, gone jsonb)
), judged AS MATERIALIZED (
  SELECT c.id, c.is_active, CASE WHEN s.ends_well THEN NULL WHEN s.has_success THEN clock_timestamp()
      ELSE coalesce(c.failing_since, clock_timestamp()) END AS failing_since,
    CASE WHEN NOT c.is_active THEN NULL WHEN ${isThere} THEN 'gone'
      WHEN NOT s.has_success AND c.failing_since < clock_timestamp() - ${PATIENCE} THEN 'failing' END AS reason
  FROM webhook_configurations c JOIN said s ON s.id = c.id
  WHERE ${isTold} ORDER BY c.id FOR NO KEY UPDATE OF c SKIP LOCKED
), written AS (
  UPDATE webhook_configurations c SET failing_since = j.failing_since, is_active = j.is_active AND j.reason IS NULL,
    disabled_reason = coalesce(j.reason, c.disabled_reason),
    updated_at = CASE WHEN j.reason IS NULL THEN c.updated_at ELSE clock_timestamp() END
  FROM judged j WHERE c.id = j.id
  RETURNING c.id, j.reason, CASE WHEN (old.failing_since IS NULL) <> (new.failing_since IS NULL)
    THEN new.failing_since IS NOT NULL END AS turned
)
SELECT id, reason, turned, false AS is_held FROM written WHERE reason IS NOT NULL OR turned IS NOT NULL
UNION ALL SELECT c.id, NULL, NULL, true FROM webhook_configurations c JOIN said s ON s.id = c.id
  WHERE ${isTold} AND c.id <> ALL (ARRAY(SELECT id FROM judged))`);
  return {
    turned: rows.flatMap(({ id, turned }) => (turned === null ? [] : [{ webhookId: id, isFailing: turned }])),
    disabled: rows.flatMap(({ id, reason }) => (reason === null ? [] : [{ webhookId: id, reason }])),
    held: rows.filter((row) => row.is_held).map((row) => row.id),
  };
};

const rowOf = ({ id, webhookId, outcome, counted, pauseMs, attempt }: DeliveryResult) => ({
  id,
  webhook_id: webhookId,
  is_delivered: outcome === 'delivered',
  counted,
  pause_ms: pauseMs,
  attempt,
});

/** SQL on delivery `d` and its result `s`: a redelivery was requested meanwhile, so all attempts are still to come. */
const isLeft = '(NOT s.is_delivered AND d.attempts < s.counted)';

/**
 * Records the results, or only those of configurations that do not fail, and returns the ids of the recorded ones. The commit is
 * not flushed: a delivery whose result a crash of the database loses is sent again. Rows locked elsewhere are skipped. The
 * statement is not prepared, because a plan made while the table was small would later read all of it.
 */
const recordRows = (knex: Knex, results: readonly DeliveryResult[], onlyHealthy: boolean): Promise<{ id: string }[]> =>
  rowsOf<{ id: string }>(knex, { results: JSON.stringify(results.map(rowOf)), only_healthy: onlyHealthy })(`
WITH said AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(:results::jsonb)
    AS s (id uuid, webhook_id uuid, is_delivered boolean, counted integer, pause_ms double precision, attempt jsonb)
  WHERE NOT (:only_healthy AND EXISTS (
    SELECT 1 FROM webhook_configurations c WHERE c.id = s.webhook_id AND c.failing_since IS NOT NULL))
), locked AS MATERIALIZED (
  SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY (ARRAY(SELECT id FROM said))
  ORDER BY d.id FOR NO KEY UPDATE SKIP LOCKED
), recorded AS (
  UPDATE webhook_deliveries d SET updated_at = clock_timestamp(),
    tries = CASE WHEN jsonb_array_length(d.tries) < ${MAX_TRIES} THEN d.tries ELSE d.tries - 0 END || s.attempt,
    -- a test was counted as it began
    attempts = CASE WHEN ${isLeft} THEN d.attempts WHEN d.is_test THEN 1 ELSE d.attempts + 1 END,
    -- a delivery that was closed meanwhile stays closed, unless it was delivered
    state = CASE WHEN s.is_delivered THEN 'delivered'
      WHEN d.state = 'pending' AND s.pause_ms IS NULL AND NOT ${isLeft} THEN 'failed'
      ELSE d.state END,
    delivered_at = CASE WHEN s.is_delivered THEN clock_timestamp() ELSE d.delivered_at END,
    due_at = CASE WHEN ${isLeft} THEN d.due_at ELSE clock_timestamp() + make_interval(secs => coalesce(s.pause_ms, 0) / 1000) END
  FROM said s WHERE d.id = s.id AND d.id = ANY (ARRAY(SELECT id FROM locked))
)
SELECT l.id FROM set_config('synchronous_commit', 'off', true), locked l`);

const without = (results: readonly DeliveryResult[], recorded: readonly { id: string }[]): DeliveryResult[] => {
  const ids = new Set(recorded.map(({ id }) => id));
  return results.filter(({ id }) => !ids.has(id));
};

/** Records results with failures in one transaction: configurations first, then deliveries, each in the order of their ids. */
const recordTroubled = (knex: Knex, results: readonly DeliveryResult[], wakesRetries: boolean): Promise<Recorded> =>
  knex.transaction(async (trx) => {
    const { turned, disabled, held } = await recordReceivers(trx, results);
    const free = results.filter(({ webhookId }) => !held.includes(webhookId));
    const rows = await recordRows(trx, free, false);
    for (const { webhookId } of disabled) await closePending(trx, webhookId, 'skipped');
    if (wakesRetries) {
      const failed = free.filter(({ outcome, pauseMs }) => outcome !== 'delivered' && pauseMs !== null);
      await insertRetryCommands(trx, [...new Set(failed.map(({ webhookId }) => webhookId))]);
    }
    const left = without(results, rows);
    if (left.length === 0) return { turned, disabled, left };
    // Results for deleted deliveries are dropped.
    const ids = left.map(({ id }) => id);
    const there: string[] = await trx('webhook_deliveries').whereIn('id', ids).pluck('id');
    return { turned, disabled, left: left.filter(({ id }) => there.includes(id)) };
  });

/**
 * Records results in the order in which the attempts ended: states, tries, and which configurations started to fail or recovered. With
 * `wakesRetries`, a failure wakes the retries of its configuration. Rows locked elsewhere are skipped, because the other results belong
 * to other merchants. One statement suffices when all succeeded and no configuration fails; otherwise it is one transaction.
 */
export const recordResults = async (
  knex: Knex,
  results: readonly DeliveryResult[],
  { wakesRetries }: { readonly wakesRetries: boolean },
): Promise<Recorded> => {
  if (results.some(({ outcome }) => outcome !== 'delivered')) return recordTroubled(knex, results, wakesRetries);
  const recorded = await recordRows(knex, results, true);
  const left = without(results, recorded);
  return left.length === 0 ? { turned: [], disabled: [], left } : recordTroubled(knex, left, wakesRetries);
};
