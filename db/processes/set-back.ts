import type { Knex } from 'knex';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';
import { execute, rowOf, rowsOf } from '../query/statements.ts';
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
const moveDeliveriesBack = async (knex: Knex, stepMs: number | null): Promise<void> => {
  if (stepMs !== null) {
    const rows = await rowsOf<{ webhook_id: string | null }>(knex)(withPending);
    for (const { webhook_id: id } of rows) if (id !== null) await moveOf(knex, retries, id, stepMs);
    await moveOf(knex, firsts, operatorWebhookId, stepMs);
  }
  await execute(knex, { operator: operatorWebhookId })(`
     UPDATE webhook_deliveries d SET due_at = clock_timestamp() WHERE ${firsts} AND d.webhook_id = :operator
     AND d.due_at > clock_timestamp() + make_interval(secs => ${LATEST_FIRST})`);
};

/** Columns whose times are past ones: signs of life and looks. */
const past = [
  ['processes', 'beat_at'],
  ['processes', 'temporal_at'],
  ['key_holders', 'seen_at'],
  ['network_looks', 'looked_at'],
  ['network_looks', 'risen_at'],
  ['offer_looks', 'looked_at'],
  ['alive_turn', 'told_at'],
] as const;

/** An undelivered command is due within so many seconds: claims and pauses after failures are shorter. */
const LATEST_COMMAND = 15;

/** A smaller difference, in milliseconds, is no change of the clock. */
const STEP_MS = 1_000;

/** A step of the clock back. */
interface Step {
  readonly ms: number;
  /** Milliseconds since the look before the step. Live processes may have written newer times since then. */
  readonly agoMs: number;
}

/**
 * Moves stored times back by as much as the database's clock was set back. Otherwise a dead process looks alive, and commands and
 * deliveries wait, until the clock has caught up. If several processes move the same time, it becomes too old, which does no harm. A
 * process that does not know the difference replaces times in the future with old ones.
 */
const moveBack = async (knex: Knex, step: Step | 'unknown', silenceSeconds: number): Promise<void> => {
  for (const [table, column] of past) {
    if (step === 'unknown')
      await knex.raw(
        'UPDATE :table: SET :column: = clock_timestamp() - make_interval(secs => :silence) WHERE :column: > clock_timestamp()',
        {
          table,
          column,
          silence: silenceSeconds,
        },
      );
    else
      await knex.raw(
        `UPDATE :table: SET :column: = :column: - :ms * interval '1 millisecond' WHERE :column: IS NOT NULL
         AND :column: NOT BETWEEN clock_timestamp() - :ago * interval '1 millisecond' AND clock_timestamp()`,
        { table, column, ms: step.ms, ago: step.agoMs },
      );
  }
  await execute(knex, [LATEST_COMMAND])(
    `UPDATE outbox SET next_attempt_at = clock_timestamp() WHERE delivered_at IS NULL AND next_attempt_at > clock_timestamp() + make_interval(secs => ?)`,
  );
  await moveDeliveriesBack(knex, step === 'unknown' ? null : step.ms);
};

/** Reads the database's clock, in milliseconds since the epoch. */
export const readClock = async (knex: Knex): Promise<number> => {
  const { ms } = await rowOf<{ ms: number }>(knex)(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  return ms;
};

/**
 * Watches the database's clock, which another server takes over in a failover, and which an administrator may set.
 * @param silenceSeconds age of a sign of life that is too old
 * @returns looks at the clock, moves stored times if it was set back, and tells whether it was set since the last look
 */
export const createDatabaseClock = (
  knex: Knex,
  silenceSeconds: number,
  read = () => readClock(knex),
): (() => Promise<{ readonly wasSet: boolean }>) => {
  let last: { readonly ms: number; readonly askedAt: number; readonly endedAt: number } | null = null;
  /** The step for which stored times are not moved yet. */
  let step: Step | 'unknown' | null = 'unknown';
  return async () => {
    const askedAt = performance.now();
    const ms = await read();
    const endedAt = performance.now();
    const aheadMs = last === null ? 0 : ms - last.ms - (endedAt - last.askedAt);
    const backMs = last === null ? 0 : askedAt - last.endedAt - (ms - last.ms);
    if (last !== null && backMs > STEP_MS) step = { ms: backMs, agoMs: ms - last.ms + backMs + STEP_MS };
    last = { ms, askedAt, endedAt };
    if (step !== null) await moveBack(knex, step, silenceSeconds);
    step = null;
    return { wasSet: Math.max(aheadMs, backMs) > STEP_MS };
  };
};
