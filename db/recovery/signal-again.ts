import type { Knex } from 'knex';
import { transitionRows } from '../payments/transition.ts';
import { rowsOf } from '../query/statements.ts';
import type { OnLost, PickWorkflows } from './lost-workflows.ts';

/** A running workflow, and the payments that it follows. */
export interface RunningWorkflow {
  readonly workflowId: string;
  readonly paymentIds: readonly string[];
}

/** Workflows per statement that checks, and per statement that writes signals. A workflow follows up to 50 payments. */
const LOOKED_AT = 40;
const TOLD_AT_ONCE = 4;
/** Most signals per statement. */
const SIGNALS_AT_ONCE = 2_000;

/**
 * Signals all transitions of their payments again to workflows that still run although all of these have ended. Their signals
 * are lost after Temporal was restored from a backup. Skips payments that ended a moment ago, and signals that are undelivered
 * or less than ten minutes old. Every statement commits separately, so that a failure keeps the earlier ones.
 * @param onLost called with the number of newly signalled workflows, in their transaction
 * @param pickWaiting picks those that run and have nothing left to process, because workers may be behind with signals
 * @returns the number of signalled workflows
 */
export const signalAgain = async (
  knex: Knex,
  running: readonly RunningWorkflow[],
  onLost?: OnLost,
  pickWaiting: PickWorkflows = async (ids) => new Set(ids),
): Promise<number> => {
  let told = 0;
  for (const some of slices(running, LOOKED_AT)) {
    const late = await havingMissedTheEnd(knex, some);
    const waiting = late.length === 0 ? new Set() : await pickWaiting(late.map(({ workflowId }) => workflowId));
    const lost = late.filter(({ workflowId }) => waiting.has(workflowId));
    for (const few of slices(lost, TOLD_AT_ONCE)) told += await tell(knex, few, onLost);
  }
  return told;
};

const slices = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));

/** Picks workflows whose payments all ended over a minute ago, and have no undelivered or recently delivered signals. */
const havingMissedTheEnd = async (knex: Knex, running: readonly RunningWorkflow[]): Promise<RunningWorkflow[]> => {
  const rows = await rowsOf<{ id: string }>(knex, {
    ids: [...new Set(running.flatMap(({ paymentIds }) => paymentIds))],
    workflow_ids: running.map(({ workflowId }) => workflowId),
  })(`
       SELECT id FROM payments p WHERE id = ANY(:ids) AND terminal_at < clock_timestamp() - interval '1 minute'
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = p.id AND o.topic = 'payment_signal'
         AND coalesce(o.workflow_id, p.workflow_id) = ANY(:workflow_ids)
         AND (o.delivered_at IS NULL OR o.delivered_at > clock_timestamp() - interval '1 minute'))`);
  const over = new Set(rows.map(({ id }) => id));
  return running.filter(({ paymentIds }) => paymentIds.length > 0 && paymentIds.every((id) => over.has(id)));
};

/** Writes the signals of some workflows in bounded parts. */
const tell = async (knex: Knex, lost: readonly RunningWorkflow[], onLost: OnLost | undefined): Promise<number> => {
  const told = new Set<string>();
  const followed = lost.flatMap(({ workflowId, paymentIds }) => paymentIds.map((id) => [workflowId, id] as const));
  const bindings = { workflow_ids: followed.map(([id]) => id), payment_ids: followed.map(([, id]) => id) };
  for (;;) {
    const workflowIds = await knex.transaction(async (trx) => {
      // One process at a time, so that signals are not duplicated.
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

/** @returns the workflow id of each written signal */
const writeSignals = async (
  trx: Knex,
  bindings: { readonly workflow_ids: readonly string[]; readonly payment_ids: readonly string[] },
): Promise<string[]> => {
  const rows = await rowsOf<{ workflow_id: string }>(trx, { ...bindings, limit: SIGNALS_AT_ONCE })(`
INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
SELECT 'payment_signal', f.workflow_id, f.workflow_id, f.payment_id, to_jsonb(change)
FROM unnest(:workflow_ids::text[], :payment_ids::uuid[]) AS f (workflow_id, payment_id)
CROSS JOIN LATERAL (${transitionRows('f.payment_id = l.payment_id')}) AS change
WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = f.payment_id AND o.topic = 'payment_signal'
  AND o.workflow_id = f.workflow_id AND (o.payload ->> 'sequence')::integer = change.sequence
  AND (o.delivered_at IS NULL OR o.created_at > clock_timestamp() - interval '10 minutes'))
ORDER BY f.workflow_id, f.payment_id, change.sequence LIMIT :limit
RETURNING workflow_id`);
  return rows.map((row) => row.workflow_id);
};
