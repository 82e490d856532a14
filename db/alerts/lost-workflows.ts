import type { Knex } from 'knex';
import { openStatuses } from '../../domain/payment.ts';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { endCondition, insertAlerts, runAlerts, toRaised } from './alerts.ts';

/** There is one such condition at most. */
const KEY = 'workflows_lost';

/** What a sweep has made up for, and the last row of the outbox before it. */
export interface Lost {
  readonly startedAgain: number;
  readonly toldAgain: number;
  readonly after: string;
}

const lost = insertAlerts(`
SELECT '${KEY}' AS key, '${KEY}' AS kind, NULL::uuid AS network_id, NULL::uuid AS payment_id, NULL::uuid AS node_id,
  NULL::uuid AS webhook_id, 'Temporal has lost workflows or what they were told; they are started and told again' AS message,
  jsonb_build_object('started_again', :started_again::int, 'told_again', :told_again::int, 'after', :after::text) AS data`);

/** The newest row of the outbox, and the time, by the database's clock. */
export const lastCommand = async (knex: Knex): Promise<{ readonly id: string; readonly at: Date }> => {
  const { rows } = await knex.raw<{ rows: [{ id: string; at: Date }] }>(
    'SELECT coalesce(max(id), 0)::text AS id, clock_timestamp() AS at FROM outbox',
  );
  return rows[0];
};

/** Raises the alert of what Temporal has lost. */
export const raiseOfLost = async (knex: Knex, { startedAgain, toldAgain, after }: Lost): Promise<RaisedAlert[]> => {
  const bindings = { started_again: startedAgain, told_again: toldAgain, after };
  return (await runAlerts(knex, lost, bindings)).map(toRaised);
};

/**
 * Closes it once everything runs that was started again since, as far as it has not ended.
 * @param running ids of the workflows that run
 */
export const closeOfLost = async (knex: Knex, running: readonly string[]): Promise<RaisedAlert[]> => {
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM alerts a JOIN outbox o ON o.id > (a.data ->> 'after')::bigint JOIN payments p ON p.id = o.payment_id
     WHERE a.is_condition AND a.closed_at IS NULL AND a.dedupe_key = '${KEY}' AND o.topic IN ('create_payment', 'command')
       AND p.status = ANY(:open) AND (o.payload ->> 'type' IS DISTINCT FROM 'retrySend' OR p.status = 'pending')
       AND o.workflow_id <> ALL(:running) AND EXISTS (SELECT 1 FROM outbox e WHERE e.payment_id = o.payment_id
         AND e.topic = o.topic AND e.workflow_id = o.workflow_id AND e.id < o.id)
     LIMIT 1`,
    { open: openStatuses, running },
  );
  return rows.length > 0 ? [] : endCondition(knex, KEY);
};
