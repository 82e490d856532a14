import {
  createRateLimiter,
  HOLD_MS,
  LEASE_MS,
  PROMPT_REFUSALS,
  type RateLimiter,
} from '../../../api/limits/rate-limit.ts';
import { connect } from '../../../db/connection.ts';
import { forgetFullBuckets, takeTokens, type BucketSize } from '../../../db/limits/rate-limits.ts';
import { createTestDatabase } from '../../support/database.ts';

/** No token comes while a test runs, however slow the machine is. */
const NEVER = 0.001;

const knex = connect((await createTestDatabase()).url, { pool: 5 });
afterAll(() => knex.destroy());

/** The limiter of one process on the shared database, with a count of its queries. */
const createProcess = (size: BucketSize, more: { elapsed?: () => number; maxKeys?: number } = {}) => {
  const process = {
    queries: 0,
    limiter: createRateLimiter({
      size,
      take: (key, wanted) => {
        process.queries += 1;
        return takeTokens(knex, key, wanted, size);
      },
      ...more,
    }),
  };
  return process;
};

/** Lets a time pass for the database, which cannot be told that it is later: the bucket is full that much sooner. */
const pass = (key: string, ms: number): Promise<unknown> =>
  knex.raw(`UPDATE rate_limits SET full_at = full_at - ? * interval '1 millisecond' WHERE key = ?`, [ms, key]);

const admitted = async (limiter: RateLimiter, key: string, count: number): Promise<number> => {
  const verdicts = await Promise.all(Array.from({ length: count }, () => limiter.admit(key)));
  return verdicts.filter((verdict) => verdict.allowed).length;
};

describe('a rate limit shared by processes', () => {
  it('lets through exactly the burst when requests come one by one, whichever process they reach', async () => {
    let time = 0;
    const size = { rate: NEVER, burst: 6 };
    // The requests are far apart by the clock of the processes, so that each takes its own token, and simultaneous for
    // the database.
    const processes = [1, 2].map(() => createProcess(size, { elapsed: () => time }));
    const allowed: boolean[] = [];
    for (let request = 0; request < 8; request += 1) {
      time += 10_000;
      allowed.push((await processes[request % 2]!.limiter.admit('one by one')).allowed);
    }
    expect(allowed).toEqual([true, true, true, true, true, true, false, false]);
    expect(processes.map((process) => process.queries)).toEqual([4, 4]);
  });

  it('lets through the whole burst at once with few queries', async () => {
    const one = createProcess({ rate: NEVER, burst: 500 });
    expect(await admitted(one.limiter, 'at once', 600)).toBe(500);
    expect(one.queries).toBeLessThanOrEqual(3);
  });

  it('never lets through more than burst and rate, under a flood on two processes, with few queries', async () => {
    const size = { rate: 200, burst: 100 };
    const processes = [createProcess(size), createProcess(size)];
    let allowed = 0;
    let requests = 0;
    const from = performance.now();
    const flood = async ({ limiter }: (typeof processes)[number]): Promise<void> => {
      while (performance.now() - from < 1_500) {
        const verdict = await limiter.admit('flood');
        requests += 1;
        if (verdict.allowed) allowed += 1;
        // A denial is answered from memory: let the queries of others come in.
        if (requests % 50 === 0) await new Promise(setImmediate);
      }
    };
    await Promise.all(processes.flatMap((process) => Array.from({ length: 16 }, () => flood(process))));
    const seconds = (performance.now() - from) / 1_000;
    expect(allowed).toBeLessThanOrEqual(size.burst + size.rate * (seconds + (2 * LEASE_MS) / 1_000));
    expect(allowed).toBeGreaterThan(size.burst + size.rate * seconds * 0.4);
    expect(requests).toBeGreaterThan(10 * allowed);
    for (const { queries } of processes) expect(queries).toBeLessThan((4 * (seconds * 1_000)) / LEASE_MS);
  });

  it('refuses little of dense traffic below the limit', async () => {
    const { limiter } = createProcess({ rate: 1_000, burst: 50 });
    let denied = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      denied += 4 - (await admitted(limiter, 'dense', 4));
      await new Promise((later) => setTimeout(later, 8));
    }
    expect(denied).toBe(0);
  });

  it('remembers a refusal until its time, without a query, and then lets requests in', async () => {
    let time = 0;
    const one = createProcess({ rate: NEVER, burst: 3 }, { elapsed: () => time });
    expect(await admitted(one.limiter, 'retry', 3)).toBe(3);
    const refused = await one.limiter.admit('retry');
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.retryInMs).toBeGreaterThan(1);
    expect(refused.retryInMs).toBeLessThanOrEqual(1_000 / NEVER);
    const asked = one.queries;
    time += refused.retryInMs - 1;
    await pass('retry', refused.retryInMs);
    expect(await admitted(one.limiter, 'retry', 100)).toBe(0);
    expect(one.queries).toBe(asked);
    time += 1;
    expect(await one.limiter.admit('retry')).toMatchObject({ allowed: true, retryInMs: 0 });
  });

  it('delays refusals of a key that come too fast, and deletes the key when they stop', async () => {
    let time = 0;
    const { limiter } = createProcess({ rate: NEVER, burst: 1 }, { elapsed: () => time });
    const holds = async (count: number): Promise<number> => {
      const verdicts = await Promise.all(Array.from({ length: count }, () => limiter.admit('insistent')));
      return verdicts.filter(({ holdMs }) => holdMs > 0).length;
    };
    expect(await holds(1)).toBe(0);
    expect(await holds(PROMPT_REFUSALS + 5)).toBe(5);
    time += HOLD_MS;
    expect(await holds(PROMPT_REFUSALS)).toBeGreaterThan(0);
    time += 10 * HOLD_MS;
    expect(await holds(5)).toBe(0);
  });

  it('returns the remaining tokens and the time of the next full bucket', async () => {
    let time = 0;
    const { limiter } = createProcess({ rate: NEVER, burst: 20 }, { elapsed: () => time });
    const first = await limiter.admit('left');
    expect(first.remaining).toBe(19);
    time += 1_000;
    const verdicts = await Promise.all(Array.from({ length: 11 }, () => limiter.admit('left')));
    const last = verdicts.at(-1)!;
    // For the database almost no time has passed: twelve of twenty tokens are gone.
    expect(last.remaining).toBe(8);
    expect(last.fullInMs).toBeGreaterThan(11_000 / NEVER);
    expect(last.fullInMs).toBeLessThanOrEqual(12_000 / NEVER);
  });

  it('does not let one key pay for another, and deletes keys that are long unused', async () => {
    const one = createProcess({ rate: NEVER, burst: 1 }, { maxKeys: 10 });
    expect(await admitted(one.limiter, 'first', 2)).toBe(1);
    expect(await admitted(one.limiter, 'first', 5)).toBe(0);
    const before = one.queries;
    for (let key = 0; key < 10; key += 1) expect(await admitted(one.limiter, `other ${key}`, 1)).toBe(1);
    expect(one.queries).toBe(before + 10);
    // Only the database still knows the first key.
    expect(await admitted(one.limiter, 'first', 1)).toBe(0);
    expect(one.queries).toBe(before + 11);
  });

  it('serves all when more keys wait at once than it remembers, each by one query', async () => {
    const one = createProcess({ rate: NEVER, burst: 5 }, { maxKeys: 4 });
    const keys = Array.from({ length: 9 }, (_, index) => `crowd ${index}`);
    const answers = await Promise.all(keys.map((key) => one.limiter.admit(key)));
    expect(answers.every(({ allowed }) => allowed)).toBe(true);
    expect(one.queries).toBe(9);
  });

  it('passes a failure on to all waiting requests, and works again after it', async () => {
    let broken = true;
    const size = { rate: NEVER, burst: 10 };
    const limiter = createRateLimiter({
      size,
      take: (key, wanted) => (broken ? Promise.reject(new Error('no database')) : takeTokens(knex, key, wanted, size)),
    });
    const outcomes = await Promise.allSettled([limiter.admit('failing'), limiter.admit('failing')]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    broken = false;
    expect(await admitted(limiter, 'failing', 12)).toBe(10);
  });

  it('takes a bucket with a negative content for an empty one, so that a clock set back locks no client out', async () => {
    await knex('rate_limits').insert({ key: 'clock', full_at: new Date(Date.now() + 3_600_000) });
    const { granted, fullInMs } = await takeTokens(knex, 'clock', 1, { rate: 10, burst: 20 });
    expect(granted).toBe(0);
    expect(fullInMs).toBeCloseTo(2_000, 3);
  });

  it('deletes full buckets only', async () => {
    await knex('rate_limits').delete();
    const size = { rate: NEVER, burst: 10 };
    await takeTokens(knex, 'used', 5, size);
    await takeTokens(knex, 'full', 5, size);
    await pass('full', 6_000 / NEVER);
    expect(await forgetFullBuckets(knex)).toBe(false);
    expect(await knex('rate_limits').pluck('key')).toEqual(['used']);
    await knex.raw(
      `INSERT INTO rate_limits SELECT 'full ' || n, now() - interval '1 second' FROM generate_series(1, 1500) n`,
    );
    expect(await forgetFullBuckets(knex)).toBe(true);
    expect(await forgetFullBuckets(knex)).toBe(false);
    expect(await knex('rate_limits').pluck('key')).toEqual(['used']);
  });
});
