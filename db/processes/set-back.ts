import type { Knex } from 'knex';
import { moveDeliveriesBack } from './deliveries-back.ts';

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

/** Seconds beyond which no undelivered command is due: claims and pauses after failures are shorter. */
const LATEST_COMMAND = 15;

/** Milliseconds from which on a difference is a step of the clock. */
const STEP_MS = 1_000;

/** A step of the clock back. */
interface Step {
  readonly ms: number;
  /** Milliseconds since the look before the step. The living may have given signs since then. */
  readonly agoMs: number;
}

/**
 * Moves stored times back by the step of the database's clock. Otherwise the dead show as alive until the clock reaches their last sign of
 * life, and commands and deliveries wait as long. Several processes may move the same time, which then is too old, and harmless. A process that does not
 * know the step treats times in the future as too old.
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
  await knex.raw(
    `UPDATE outbox SET next_attempt_at = clock_timestamp() WHERE delivered_at IS NULL AND next_attempt_at > clock_timestamp() + make_interval(secs => ?)`,
    [LATEST_COMMAND],
  );
  await moveDeliveriesBack(knex, step === 'unknown' ? null : step.ms);
};

/** Reads the database's clock, in milliseconds since the epoch. */
export const readClock = async (knex: Knex): Promise<number> => {
  const { rows } = await knex.raw<{ rows: [{ ms: number }] }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  return rows[0].ms;
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
