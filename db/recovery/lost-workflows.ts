import type { Knex } from 'knex';
import { openStatuses } from '../../domain/payment.ts';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { endCondition, insertAlerts, runAlerts, toRaised } from '../alerts/alerts.ts';
import { execute, rowOf, rowsOf } from '../query/statements.ts';

/** The condition, of which at most one is open. */
const condition = { kind: 'workflows_lost', subject: '' } as const;
/** SQL: alert `a` is the open one. */
const isOpen = `a.is_condition AND a.closed_at IS NULL AND a.kind = '${condition.kind}'`;

/** SQL: the list of running workflows may lack one that was started less than this long before. */
export const LISTED_AFTER = "interval '10 seconds'";

/** The kinds of recovery: workflows started again, or signalled again. */
export type LostKind = 'started_again' | 'told_again';

/** Called with the number of recovered workflows, in the transaction that recovers them. */
export type OnLost = (trx: Knex, count: number) => Promise<void>;

const lost = insertAlerts({
  kind: `'${condition.kind}'`,
  message: `'Temporal has lost workflows or signals; Carat starts and signals them again'`,
  data: `jsonb_build_object('started_again', 0, 'told_again', 0, 'after', :after::text) || :found::jsonb`,
});

/** The ids of these workflows for which something holds in Temporal now. Called outside of transactions. */
export type PickWorkflows = (workflowIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** Reads the id of the outbox's newest row, and the time by the database's clock. */
export const lastCommand = (knex: Knex): Promise<{ readonly id: string; readonly at: Date }> =>
  rowOf<{ id: string; at: Date }>(knex)('SELECT coalesce(max(id), 0)::text AS id, clock_timestamp() AS at FROM outbox');

/**
 * Adds to the open alert about lost workflows, or raises it. Run it in the transaction of the recovery, so that no recovery
 * goes unreported.
 * @param after the last row of the outbox before the recovery
 */
export const raiseOfLost = async (trx: Knex, kind: LostKind, count: number, after: string): Promise<RaisedAlert[]> => {
  const rowCount = await execute(trx, { kind, count })(
    `UPDATE alerts a SET data = a.data || jsonb_build_object(:kind::text, (a.data ->> :kind)::int + :count::int) WHERE ${isOpen}`,
  );
  if (rowCount > 0) return [];
  return (await runAlerts(trx, lost, { found: JSON.stringify({ [kind]: count }), after })).map(toRaised);
};

/**
 * Closes the alert once all workflows that were started again run or have no open work. The pass that raises it may overlook
 * workflows that were started shortly before, so a younger alert stays open.
 * @param running ids of the running workflows
 * @param listed time at which these were requested, by the database's clock
 */
export const closeOfLost = async (knex: Knex, running: readonly string[], listed: Date): Promise<RaisedAlert[]> => {
  const rows = await rowsOf(knex, { open: openStatuses, running, listed })(`SELECT 1 FROM alerts a WHERE ${isOpen}
       AND a.created_at > :listed::timestamptz - ${LISTED_AFTER}
     UNION ALL
     (SELECT 1 FROM alerts a JOIN outbox o ON o.id > (a.data ->> 'after')::bigint JOIN payments p ON p.id = o.payment_id
     WHERE ${isOpen} AND o.topic IN ('create_payment', 'command')
       AND p.status = ANY(:open) AND (o.payload ->> 'type' IS DISTINCT FROM 'retrySend' OR p.status = 'pending')
       AND o.workflow_id <> ALL(:running) AND EXISTS (SELECT 1 FROM outbox e WHERE e.payment_id = o.payment_id
         AND e.topic = o.topic AND e.workflow_id = o.workflow_id AND e.id < o.id)
     LIMIT 1)`);
  return rows.length > 0 ? [] : endCondition(knex, condition);
};
