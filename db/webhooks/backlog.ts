import type { Knex } from 'knex';
import type { DisabledReceiver } from '../../domain/ports/deliveries.ts';
import { rowsOf } from '../query/statements.ts';
import { closePending } from './deliveries.ts';
import { activeOnes, MAX_UNDELIVERED, ownerOf, undelivered, withPending } from './due.ts';

/** Most undelivered deliveries of a node. */
export interface BacklogBounds {
  /** For configurations that have failed for an hour. */
  readonly failing: number;
  /** For all configurations. Larger, because a backlog of a working receiver is Carat's own fault. */
  readonly inAll: number;
}

const BOUNDS: BacklogBounds = { failing: MAX_UNDELIVERED, inAll: 5 * MAX_UNDELIVERED };

/** A configuration to disable. */
interface Judged {
  readonly id: string;
  /** Set when it has failed for an hour. Text, so that no digit is lost. */
  readonly failing_since: string | null;
}

/**
 * Finds the configurations to disable so that each node is within its bounds: those with the largest backlogs. A
 * configuration is over the bound when its backlog and all smaller ones of its node together exceed the bound.
 */
const selectOver = (knex: Knex, { failing, inAll }: BacklogBounds): Promise<Judged[]> =>
  rowsOf<Judged>(knex, { failing, inAll, most: inAll + 1 })(`
WITH backlogs AS MATERIALIZED (
  SELECT c.id, ${ownerOf} AS owner_id, ${undelivered} AS undelivered,
    CASE WHEN c.failing_since < clock_timestamp() - interval '1 hour' THEN c.failing_since::text END AS failing_since
  FROM ${activeOnes} AND c.id IN (${withPending})
), judged AS (
  SELECT *, failing_since IS NOT NULL AND sum(undelivered) OVER (PARTITION BY owner_id, failing_since IS NULL ORDER BY undelivered, id) > :failing AS is_over
  FROM backlogs
), left_over AS (
  SELECT id, failing_since, is_over, sum(undelivered) FILTER (WHERE NOT is_over) OVER (PARTITION BY owner_id ORDER BY undelivered, id) AS sum
  FROM judged
)
SELECT id, failing_since FROM left_over WHERE is_over OR sum > :inAll ORDER BY id`);

/** Disables a configuration, unless it is locked elsewhere, or has recovered since. The next run checks it again. */
const disable = (knex: Knex, { id, failing_since: failingSince }: Judged): Promise<boolean> =>
  knex.transaction(async (trx) => {
    const rows = await rowsOf(trx, { id, failing_since: failingSince })(`
       UPDATE webhook_configurations SET is_active = false, disabled_reason = 'backlog', updated_at = clock_timestamp()
       WHERE id = (SELECT id FROM webhook_configurations WHERE id = :id AND is_active AND deleted_at IS NULL
         AND (:failing_since::timestamptz IS NULL OR failing_since = :failing_since::timestamptz)
         FOR NO KEY UPDATE SKIP LOCKED) RETURNING 1`);
    if (rows.length > 0) await closePending(trx, id, 'skipped');
    return rows.length > 0;
  });

/**
 * Disables configurations whose backlogs exceed the bounds of their node. Runs separately, so that storing an event
 * needs no count.
 */
export const disableBacklogs = async (knex: Knex, bounds = BOUNDS): Promise<DisabledReceiver[]> => {
  const disabled: DisabledReceiver[] = [];
  for (const judged of await selectOver(knex, bounds)) {
    if (await disable(knex, judged)) disabled.push({ webhookId: judged.id, reason: 'backlog' });
  }
  return disabled;
};
