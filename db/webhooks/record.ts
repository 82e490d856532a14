import type { Knex } from 'knex';
import type { DeliveryResult, DisabledReceiver } from '../../domain/ports/deliveries.ts';
import { prepared, type Statement } from '../query/prepared.ts';
import { closePending } from './deliveries.ts';
import { insertRetryCommands } from './retry-commands.ts';

/** Attempts that are kept of a delivery. */
const MAX_TRIES = 20;

/** After so long with nothing but failures a configuration is disabled. */
const PATIENCE = "interval '5 days'";

interface Said {
  readonly id: string;
  readonly ends_well: boolean;
  readonly has_success: boolean;
  readonly is_gone: boolean;
}

/** What a set of results, in the order in which they came, says of each configuration. */
const saidOf = (results: readonly DeliveryResult[]): Said[] => {
  const ids = [...new Set(results.map((result) => result.webhookId))].sort();
  return ids.map((id) => {
    const outcomes = results.filter((result) => result.webhookId === id).map((result) => result.outcome);
    return {
      id,
      ends_well: outcomes.at(-1) === 'delivered',
      has_success: outcomes.includes('delivered'),
      is_gone: outcomes.includes('gone'),
    };
  });
};

/** Begins and ends of failing, and who is disabled by it. Locks and writes only where something changes. */
const recordReceivers = async (trx: Knex, results: readonly DeliveryResult[]): Promise<DisabledReceiver[]> => {
  const { rows } = await trx.raw<{ rows: { id: string; reason: DisabledReceiver['reason'] | null }[] }>(
    `
WITH said AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(:said::jsonb) AS s (id uuid, ends_well boolean, has_success boolean, is_gone boolean)
), judged AS MATERIALIZED (
  SELECT c.id, c.is_active, CASE WHEN s.ends_well THEN NULL WHEN s.has_success THEN clock_timestamp()
      ELSE coalesce(c.failing_since, clock_timestamp()) END AS failing_since,
    CASE WHEN NOT c.is_active THEN NULL WHEN s.is_gone THEN 'gone'
      WHEN NOT s.has_success AND c.failing_since < clock_timestamp() - ${PATIENCE} THEN 'failing' END AS reason
  FROM webhook_configurations c JOIN said s ON s.id = c.id
  WHERE c.deleted_at IS NULL AND (c.failing_since IS NOT NULL OR NOT s.ends_well OR s.is_gone)
  ORDER BY c.id FOR NO KEY UPDATE OF c
)
UPDATE webhook_configurations c SET failing_since = j.failing_since, is_active = j.is_active AND j.reason IS NULL,
  disabled_reason = coalesce(j.reason, c.disabled_reason),
  updated_at = CASE WHEN j.reason IS NULL THEN c.updated_at ELSE clock_timestamp() END
FROM judged j WHERE c.id = j.id
RETURNING c.id, j.reason`,
    { said: JSON.stringify(saidOf(results)) },
  );
  return rows.flatMap(({ id, reason }) => (reason === null ? [] : [{ webhookId: id, reason }]));
};

/**
 * What a crash of the database forgets of this is sent once more, so nobody waits for its disk. Its parameter are the
 * results; it answers configurations that had failed and have taken something.
 */
const recordStatement: Statement = {
  name: 'record_deliveries',
  text: `
WITH said AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($1::jsonb)
    AS s (id uuid, webhook_id uuid, is_delivered boolean, pause_ms double precision, attempt jsonb)
), locked AS MATERIALIZED (
  SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY (ARRAY(SELECT id FROM said)) ORDER BY d.id FOR NO KEY UPDATE
), recorded AS (
  UPDATE webhook_deliveries d SET attempts = d.attempts + 1, updated_at = clock_timestamp(),
    tries = CASE WHEN jsonb_array_length(d.tries) < ${MAX_TRIES} THEN d.tries ELSE d.tries - 0 END || s.attempt,
    -- what was closed meanwhile stays so, unless it has arrived
    state = CASE WHEN s.is_delivered THEN 'delivered' WHEN d.state = 'pending' AND s.pause_ms IS NULL THEN 'failed'
      ELSE d.state END,
    delivered_at = CASE WHEN s.is_delivered THEN clock_timestamp() ELSE d.delivered_at END,
    due_at = clock_timestamp() + make_interval(secs => coalesce(s.pause_ms, 0) / 1000)
  FROM said s WHERE d.id = s.id AND d.id = ANY (ARRAY(SELECT id FROM locked))
)
SELECT c.id FROM webhook_configurations c, set_config('synchronous_commit', 'off', true)
WHERE c.id = ANY (ARRAY(SELECT webhook_id FROM said WHERE is_delivered)) AND c.failing_since IS NOT NULL`,
};

const parameterOf = (results: readonly DeliveryResult[]): string =>
  JSON.stringify(
    results.map(({ id, webhookId, outcome, pauseMs, attempt }) => ({
      id,
      webhook_id: webhookId,
      is_delivered: outcome === 'delivered',
      pause_ms: pauseMs,
      attempt,
    })),
  );

/** Records what has troubles in it, in one transaction: configurations first, then deliveries, each in the order of their ids. */
const recordTroubled = (
  knex: Knex,
  results: readonly DeliveryResult[],
  wakesRetries: boolean,
): Promise<readonly DisabledReceiver[]> =>
  knex.transaction(async (trx) => {
    const disabled = await recordReceivers(trx, results);
    await trx.raw(recordStatement.text.replace('$1', '?'), [parameterOf(results)]);
    for (const { webhookId } of disabled) await closePending(trx, webhookId, 'skipped');
    if (wakesRetries) {
      const failed = results.filter(({ outcome, pauseMs }) => outcome === 'failed' && pauseMs !== null);
      await insertRetryCommands(trx, [...new Set(failed.map(({ webhookId }) => webhookId))]);
    }
    return disabled;
  });

/** Records what came of attempts. Where all is well it is one statement. */
export const recordResults = async (
  knex: Knex,
  results: readonly DeliveryResult[],
  wakesRetries: boolean,
): Promise<readonly DisabledReceiver[]> => {
  if (results.some(({ outcome }) => outcome !== 'delivered')) return recordTroubled(knex, results, wakesRetries);
  const recovered = await prepared(knex, recordStatement, [parameterOf(results)]);
  if (recovered.length > 0) await knex.transaction((trx) => recordReceivers(trx, results));
  return [];
};
