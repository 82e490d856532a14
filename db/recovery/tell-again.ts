import type { Knex } from 'knex';
import { transitionRows } from '../payments/transition.ts';
import type { OnLost } from './lost-workflows.ts';

/** A workflow that runs, and the payments that it follows. */
export interface RunningWorkflow {
  readonly workflowId: string;
  readonly paymentIds: readonly string[];
}

/** Workflows that one statement looks at, and of those that are to be told, that one writes for. One follows 50 payments at most. */
const LOOKED_AT = 40;
const TOLD_AT_ONCE = 4;
/** Signals that one statement writes at most. */
const SIGNALS_AT_ONCE = 2_000;

/**
 * Tells the story of their payments to workflows that run on although all of these have ended: the signals of it are lost, with a
 * Temporal that was set back. Those whose payments ended a moment ago are left alone, and nothing is told twice within ten
 * minutes or while it is on its way. Every statement stands for itself: what it has written counts when the next one fails.
 * @param onLost hears of workflows that are told, in the transaction that does it
 * @returns how many workflows are told
 */
export const tellAgain = async (knex: Knex, running: readonly RunningWorkflow[], onLost?: OnLost): Promise<number> => {
  let told = 0;
  for (const some of slices(running, LOOKED_AT)) {
    const lost = await havingMissedTheEnd(knex, some);
    for (const few of slices(lost, TOLD_AT_ONCE)) told += await tell(knex, few, onLost);
  }
  return told;
};

const slices = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));

/** Those of which every payment ended a while ago, and that nothing of it was told since and is not on its way, as after an outage. */
const havingMissedTheEnd = async (knex: Knex, running: readonly RunningWorkflow[]): Promise<RunningWorkflow[]> => {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM payments p WHERE id = ANY(:ids) AND terminal_at < clock_timestamp() - interval '1 minute'
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = p.id AND o.topic = 'payment_signal'
         AND coalesce(o.workflow_id, p.workflow_id) = ANY(:workflow_ids)
         AND (o.delivered_at IS NULL OR o.delivered_at > clock_timestamp() - interval '1 minute'))`,
    {
      ids: [...new Set(running.flatMap(({ paymentIds }) => paymentIds))],
      workflow_ids: running.map(({ workflowId }) => workflowId),
    },
  );
  const over = new Set(rows.map(({ id }) => id));
  return running.filter(({ paymentIds }) => paymentIds.length > 0 && paymentIds.every((id) => over.has(id)));
};

/** Writes the signals of some workflows, a bounded part of them at a time. */
const tell = async (knex: Knex, lost: readonly RunningWorkflow[], onLost: OnLost | undefined): Promise<number> => {
  const told = new Set<string>();
  const followed = lost.flatMap(({ workflowId, paymentIds }) => paymentIds.map((id) => [workflowId, id] as const));
  const bindings = { workflow_ids: followed.map(([id]) => id), payment_ids: followed.map(([, id]) => id) };
  for (;;) {
    const workflowIds = await knex.transaction(async (trx) => {
      // One process at a time, else each would tell the same.
      await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat tell again'))`);
      const ids = await writeSignals(trx, bindings);
      const news = new Set(ids.filter((id) => !told.has(id)));
      if (news.size > 0) await onLost?.(trx, news.size);
      return ids;
    });
    for (const id of workflowIds) told.add(id);
    if (workflowIds.length < SIGNALS_AT_ONCE) return told.size;
  }
};

/** @returns the workflow of each signal that it has written */
const writeSignals = async (
  trx: Knex,
  bindings: { readonly workflow_ids: readonly string[]; readonly payment_ids: readonly string[] },
): Promise<string[]> => {
  const { rows } = await trx.raw<{ rows: { workflow_id: string }[] }>(
    `
INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
SELECT 'payment_signal', f.workflow_id, f.workflow_id, f.payment_id, to_jsonb(change)
FROM unnest(:workflow_ids::text[], :payment_ids::uuid[]) AS f (workflow_id, payment_id)
CROSS JOIN LATERAL (${transitionRows('f.payment_id = l.payment_id')}) AS change
WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = f.payment_id AND o.topic = 'payment_signal'
  AND o.workflow_id = f.workflow_id AND (o.payload ->> 'sequence')::integer = change.sequence
  AND (o.delivered_at IS NULL OR o.created_at > clock_timestamp() - interval '10 minutes'))
ORDER BY f.workflow_id, f.payment_id, change.sequence LIMIT :limit
RETURNING workflow_id`,
    { ...bindings, limit: SIGNALS_AT_ONCE },
  );
  return rows.map((row) => row.workflow_id);
};
