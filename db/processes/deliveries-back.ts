import type { Knex } from 'knex';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';
import { firsts, retries, withPending } from '../webhooks/due.ts';

/** Deliveries of one statement, so that a long backlog does not hold its locks for long. */
const PART = 5_000;

/** Seconds beyond which no first attempt of the operator's webhook is due: claims are shorter. */
const LATEST_FIRST = 60;

/** Moves deliveries of one webhook, in parts by the time for which they were due. A moved one lies behind the parts that follow. */
const moveOf = async (knex: Knex, kind: string, webhookId: string, ms: number): Promise<void> => {
  for (let after: string | null = null; ;) {
    const { rows }: { rows: [{ last: string | null }] } = await knex.raw(
      `WITH part AS MATERIALIZED (
         SELECT d.id, d.due_at FROM webhook_deliveries d
         WHERE ${kind} AND d.webhook_id = :webhook_id AND d.due_at > coalesce(:after::timestamptz, clock_timestamp())
         ORDER BY d.due_at FETCH FIRST ${PART} ROWS WITH TIES
       ), locked AS MATERIALIZED (
         SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY (ARRAY(SELECT id FROM part)) AND d.state = 'pending'
         ORDER BY d.id FOR NO KEY UPDATE SKIP LOCKED
       ), moved AS (
         UPDATE webhook_deliveries d SET due_at = d.due_at - :ms * interval '1 millisecond' FROM locked l WHERE d.id = l.id
       ) SELECT max(due_at)::text AS last FROM part`,
      { webhook_id: webhookId, after, ms },
    );
    after = rows[0].last;
    if (after === null) return;
  }
};

/**
 * Moves the times for which deliveries wait back by the step of the database's clock. Where several processes move them, some attempts
 * come too early. A merchant's first attempt does not wait for its time.
 * @param stepMs null where the step is not known: then retries wait for their old time
 */
export const moveDeliveriesBack = async (knex: Knex, stepMs: number | null): Promise<void> => {
  if (stepMs !== null) {
    const { rows } = await knex.raw<{ rows: { webhook_id: string | null }[] }>(withPending);
    for (const { webhook_id: id } of rows) if (id !== null) await moveOf(knex, retries, id, stepMs);
    await moveOf(knex, firsts, operatorWebhookId, stepMs);
  }
  await knex.raw(
    `UPDATE webhook_deliveries d SET due_at = clock_timestamp() WHERE ${firsts} AND d.webhook_id = :operator
     AND d.due_at > clock_timestamp() + make_interval(secs => ${LATEST_FIRST})`,
    { operator: operatorWebhookId },
  );
};
