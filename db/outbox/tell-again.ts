import type { Knex } from 'knex';
import { selectTransitions } from '../payments/transition.ts';

/** A workflow that runs, and the payments that it follows. */
export interface RunningWorkflow {
  readonly workflowId: string;
  readonly paymentIds: readonly string[];
}

/**
 * Tells the story of their payments to workflows that run on although all of these have ended: the signals of it are lost, with a
 * Temporal that was set back. Those whose payments ended a moment ago, or that were told lately, are left alone.
 * @returns how many workflows are told
 */
export const tellAgain = (knex: Knex, running: readonly RunningWorkflow[]): Promise<number> =>
  knex.transaction(async (trx) => {
    await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat tell again'))`);
    const { rows } = await trx.raw<{ rows: RunningWorkflow[] }>(
      `
SELECT r."workflowId", r."paymentIds" FROM jsonb_to_recordset(:running::jsonb) AS r ("workflowId" text, "paymentIds" uuid[])
WHERE NOT EXISTS (SELECT 1 FROM unnest(r."paymentIds") AS own (id) LEFT JOIN payments p ON p.id = own.id
    WHERE coalesce(p.terminal_at, 'infinity') > clock_timestamp() - interval '1 minute')
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = ANY(r."paymentIds") AND o.topic = 'payment_signal'
    AND o.workflow_id = r."workflowId" AND o.created_at > clock_timestamp() - interval '10 minutes')`,
      { running: JSON.stringify(running) },
    );
    const lost = rows.filter(({ paymentIds }) => paymentIds.length > 0);
    const stories = await selectTransitions(trx, [...new Set(lost.flatMap(({ paymentIds }) => paymentIds))]);
    const signals = lost.flatMap(({ workflowId, paymentIds }) =>
      stories
        .filter((change) => paymentIds.includes(change.payment_id))
        .map((change) => ({
          ...{ topic: 'payment_signal', group_key: workflowId, workflow_id: workflowId },
          ...{ payment_id: change.payment_id, payload: JSON.stringify(change) },
        })),
    );
    if (signals.length > 0) await trx('outbox').insert(signals);
    return lost.length;
  });
