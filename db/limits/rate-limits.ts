import type { Knex } from 'knex';
import { prepared, type Statement } from '../query/prepared.ts';

/** A token bucket: `rate` tokens a second come in, until there are `burst`. Both are whole and greater than 0. */
export interface BucketSize {
  readonly rate: number;
  readonly burst: number;
}

/** What a process was given of a bucket. */
export interface TakenTokens {
  /** As many as were wanted, or as there were. */
  readonly granted: number;
  /** Milliseconds, from now on, until the bucket is full again. */
  readonly fullInMs: number;
}

/**
 * A bucket is kept as the time at which it is full again (the generic cell rate algorithm). No row is a full bucket. Only
 * the database's clock counts, so that processes need not agree on the time; should it be set back, or the limit be made
 * smaller, then a bucket counts as empty at worst, never as less.
 */
const perToken = `($3::numeric * interval '1 second')`;
const fullFrom = (fullAt: string): string => `least(greatest(${fullAt}, now()), now() + $4::integer * ${perToken})`;
// A microsecond, to which times are rounded, must not cost a token.
const granted = (fullAt: string): string =>
  `least($2::integer, floor($4::integer - extract(epoch FROM ${fullFrom(fullAt)} - now()) / $3::numeric + 0.001))::integer`;

const takeStatement: Statement = {
  name: 'take_tokens',
  text: `INSERT INTO rate_limits AS l (key, full_at) VALUES ($1, now() + least($2::integer, $4::integer) * ${perToken})
    ON CONFLICT (key) DO UPDATE SET full_at = ${fullFrom('l.full_at')} + ${granted('l.full_at')} * ${perToken}
    RETURNING ${granted('old.full_at')} AS granted, (extract(epoch FROM new.full_at - now()) * 1000)::float8 AS full_in_ms`,
};

/** Takes up to `wanted` tokens out of a bucket that all processes share. */
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
  if (row === undefined) throw new Error('Taking tokens always answers a row');
  return { granted: row.granted, fullInMs: row.full_in_ms };
};

const BATCH = 1_000;

/**
 * Forgets a batch of buckets that are full, which changes nothing.
 * @returns true when there may be more
 */
export const forgetFullBuckets = async (knex: Knex): Promise<boolean> => {
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `DELETE FROM rate_limits WHERE key IN (
       SELECT key FROM rate_limits WHERE full_at < now() LIMIT ? FOR UPDATE SKIP LOCKED)`,
    [BATCH],
  );
  return rowCount === BATCH;
};
