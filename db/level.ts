import type { Knex } from 'knex';
import { rowOf } from './query/statements.ts';

/**
 * The stored states that this version understands. An older version would act wrongly on a state that it does not know, so a
 * state that a level introduces raises the floor of the database while it is in use.
 *
 * - 1: deals are created by transactions
 * - 2: deals may be offered by signatures; an older version would create them
 * - 3: payments may wait for a former choice of their order; an older version would not let them go on
 * - 4: the list of migrations begins with the baseline; an older version would miss the steps before it
 */
export const LEVEL = 4;

/** The level that understands payments with an offered deal. */
export const OFFERS_LEVEL = 2;
/** The level that understands orders whose buyer chooses. */
export const CHECKOUTS_LEVEL = 3;
/** The level that understands a list of migrations without the steps before the baseline. */
export const BASELINE_LEVEL = 4;

/** Seconds after the last sign of life for which a process may still run. */
export const LIVING_SECONDS = 60;

/** SQL condition: the process of a row of `processes` may still run. */
export const mayRun = `(stopped_at IS NULL AND beat_at > clock_timestamp() - interval '${LIVING_SECONDS} seconds')`;

/** SQL condition: a process of a version below this level may still run. */
export const hasOldProcess = (level: number): string =>
  `EXISTS (SELECT 1 FROM processes WHERE ${mayRun} AND coalesce(level, 0) < ${level})`;

/** True when a process of a version below this level may still run. */
export const mayOldProcessRun = async (knex: Knex, level: number): Promise<boolean> => {
  const { is_old } = await rowOf<{ is_old: boolean }>(knex)(`SELECT ${hasOldProcess(level)} AS is_old`);
  return is_old;
};

/** From now on no older version starts. One that has started since the step was found due makes it fail. */
export const raiseFloor = async (trx: Knex, name: string, level: number): Promise<void> => {
  await trx.raw('UPDATE floor SET level = greatest(level, :level), lowest = greatest(lowest, :level)', { level });
  if (await mayOldProcessRun(trx, level))
    throw new Error(`a process of a version below level ${level} has started: ${name} must wait`);
};

/** The floor of the database is above the level of this version. */
export class BelowFloorError extends Error {}

/**
 * Refuses a database whose floor is above the level of this version. A process looks before it reads anything, again after its first
 * sign of life, which contract steps wait for, and with each further one, because they do not wait for one that was silent.
 * @throws BelowFloorError that names both
 */
export const assertUnderstood = async (knex: Knex): Promise<void> => {
  const { level } = await knex('floor').first<{ level: number }>('level');
  if (level <= LEVEL) return;
  throw new BelowFloorError(
    `the database holds states that only newer versions of Carat understand (floor ${level}; this version has level ${LEVEL}); start a newer version`,
  );
};
