import fs from 'node:fs/promises';
import path from 'node:path';
import { testStack } from '../support/stack.ts';
import type { Judged } from './world.ts';

const readsTo = new WeakMap<Judged, number>();

/**
 * Requests that the api, by its log, failed to answer since the previous call, and deadlocks that the database had to
 * end.
 */
export const faultsOf = async (world: Judged): Promise<string[]> => {
  const { knex, logs } = world.product;
  const log = await fs.readFile(path.join(logs, 'api.log'));
  const failed = log
    .subarray(readsTo.get(world) ?? 0)
    .toString()
    .split('\n')
    .filter((line) => line.includes('"request failed"') && line.includes('"status":500'));
  readsTo.set(world, log.length);
  const { rows } = await knex.raw<{ rows: { deadlocks: number }[] }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  if (rows[0]?.deadlocks === 0) return failed;
  const told = await fs.readFile(path.join(testStack().dir, 'logs', 'postgres.log'), 'utf8');
  return [...failed, `the database ended a deadlock: ${told.slice(told.indexOf('deadlock detected')).slice(0, 4_000)}`];
};
