import type { Knex } from 'knex';
import { execute, prepared, type Statement } from '../query/statements.ts';

/** A token bucket: it refills with `rate` tokens a second, up to `burst`. Both are whole numbers greater than 0. */
export interface BucketSize {
  readonly rate: number;
  readonly burst: number;
}

/** The tokens that a process took from a bucket. */
export interface TakenTokens {
  /** The requested number, or all that were left. */
  readonly granted: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

/**
 * A bucket is stored as the time at which it is full again (generic cell rate algorithm). A bucket without a row is full. Only
 * the database's clock counts, so clocks of processes may differ. If that clock is set back, or the limit is lowered, a bucket
 * counts as empty at worst, never as less.
 */
const perToken = `($3::numeric * interval '1 second')`;
const fullFrom = (fullAt: string): string => `least(greatest(${fullAt}, now()), now() + $4::integer * ${perToken})`;
// The addend keeps the rounding of times to microseconds from costing a token.
const granted = (fullAt: string): string =>
  `least($2::integer, floor($4::integer - extract(epoch FROM ${fullFrom(fullAt)} - now()) / $3::numeric + 0.001))::integer`;

const takeStatement: Statement = {
  name: 'take_tokens',
  text: `INSERT INTO rate_limits AS l (key, full_at) VALUES ($1, now() + least($2::integer, $4::integer) * ${perToken})
    ON CONFLICT (key) DO UPDATE SET full_at = ${fullFrom('l.full_at')} + ${granted('l.full_at')} * ${perToken}
    RETURNING ${granted('old.full_at')} AS granted, (extract(epoch FROM new.full_at - now()) * 1000)::float8 AS full_in_ms`,
};

/** Takes up to `wanted` tokens from a bucket that all processes share. */
export const takeTokens = async (
  knex: Knex,
  key: string,
  wanted: number,
  { rate, burst }: BucketSize,
): Promise<TakenTokens> => {
  const [row] = await prepared<{ granted: number; full_in_ms: number }>(knex, takeStatement, [
    key,
    wanted,
    1 / rate,
    burst,
  ]);
  if (row === undefined) throw new Error('The statement that takes tokens returned no row');
  return { granted: row.granted, fullInMs: row.full_in_ms };
};

const BATCH = 1_000;

/**
 * Deletes a batch of full buckets, which changes no limit.
 * @returns true when there may be more
 */
export const forgetFullBuckets = async (knex: Knex): Promise<boolean> => {
  const rowCount = await execute(knex, [BATCH])(`DELETE FROM rate_limits WHERE key IN (
       SELECT key FROM rate_limits WHERE full_at < now() LIMIT ? FOR UPDATE SKIP LOCKED)`);
  return rowCount === BATCH;
};
