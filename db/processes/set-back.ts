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
const LATEST_COMMAND = 60;

/** Milliseconds from which on a difference is a step of the clock. */
const STEP_MS = 1_000;

/**
 * Moves stored times of the future back by the step of the database's clock, or to the present where the step is unknown. A sign of life
 * of the future would show the dead as alive until the clock gets there, and commands would wait as long.
 */
const moveBack = async (knex: Knex, stepMs: number): Promise<void> => {
  for (const [table, column] of past)
    await knex.raw(
      `UPDATE ?? SET ?? = least(clock_timestamp(), ?? - ? * interval '1 millisecond') WHERE ?? > clock_timestamp()`,
      [table, column, column, stepMs, column],
    );
  await knex.raw(
    `UPDATE outbox SET next_attempt_at = clock_timestamp() WHERE delivered_at IS NULL AND next_attempt_at > clock_timestamp() + make_interval(secs => ?)`,
    [LATEST_COMMAND],
  );
};

/**
 * Watches the database's clock, which another server takes over in a failover, and which an administrator may set.
 * @param elapsed monotonic clock, in milliseconds
 * @returns looks at the clock, moves times of the future back, and tells whether the clock was set ahead since the last look
 */
export const createDatabaseClock = (
  knex: Knex,
  elapsed = () => performance.now(),
): (() => Promise<{ readonly wasSetAhead: boolean }>) => {
  let last: { readonly ms: number; readonly askedAt: number; readonly endedAt: number } | null = null;
  /** How far the clock was set back; null after the stored times were moved. Unknown at first. */
  let setBackMs: number | null = 0;
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
    if (backMs > STEP_MS) setBackMs = (setBackMs ?? 0) + backMs;
    if (setBackMs !== null) await moveBack(knex, setBackMs);
    setBackMs = null;
    return { wasSetAhead: aheadMs > STEP_MS };
  };
};
