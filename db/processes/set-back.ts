import type { Knex } from 'knex';

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

/**
 * Moves stored times back by the step of the database's clock. Else the dead would show as alive until the clock gets to their last sign of
 * life, and commands would wait as long. The living, and those that two processes move, give a new sign within seconds. Where the step is
 * unknown, times of the future count as past ones that are too old.
 */
const moveBack = async (knex: Knex, stepMs: number | 'unknown', silenceSeconds: number): Promise<void> => {
  for (const [table, column] of past) {
    if (stepMs === 'unknown')
      await knex.raw('UPDATE ?? SET ?? = clock_timestamp() - make_interval(secs => ?) WHERE ?? > clock_timestamp()', [
        table,
        column,
        silenceSeconds,
        column,
      ]);
    else
      await knex.raw(`UPDATE ?? SET ?? = ?? - ? * interval '1 millisecond' WHERE ?? IS NOT NULL`, [
        table,
        column,
        column,
        stepMs,
        column,
      ]);
  }
  await knex.raw(
    `UPDATE outbox SET next_attempt_at = clock_timestamp() WHERE delivered_at IS NULL AND next_attempt_at > clock_timestamp() + make_interval(secs => ?)`,
    [LATEST_COMMAND],
  );
};

/**
 * Watches the database's clock, which another server takes over in a failover, and which an administrator may set.
 * @param silenceSeconds age of a sign of life that is too old
 * @param elapsed monotonic clock, in milliseconds
 * @returns looks at the clock, moves stored times if it was set back, and tells whether it was set since the last look
 */
export const createDatabaseClock = (
  knex: Knex,
  silenceSeconds: number,
  elapsed = () => performance.now(),
): (() => Promise<{ readonly wasSet: boolean }>) => {
  let last: { readonly ms: number; readonly askedAt: number; readonly endedAt: number } | null = null;
  /** How far the clock was set back; null after the stored times were moved. */
  let setBackMs: number | 'unknown' | null = 'unknown';
  return async () => {
    const askedAt = elapsed();
    const { rows } = await knex.raw<{ rows: [{ ms: number }] }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    const { ms } = rows[0];
    const endedAt = elapsed();
    const aheadMs = last === null ? 0 : ms - last.ms - (endedAt - last.askedAt);
    const backMs = last === null ? 0 : askedAt - last.endedAt - (ms - last.ms);
    last = { ms, askedAt, endedAt };
    if (backMs > STEP_MS) setBackMs = backMs + (typeof setBackMs === 'number' ? setBackMs : 0);
    if (setBackMs !== null) await moveBack(knex, setBackMs, silenceSeconds);
    setBackMs = null;
    return { wasSet: Math.max(aheadMs, backMs) > STEP_MS };
  };
};
