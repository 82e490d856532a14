import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { BaseModel, NodeFilter } from './base-model.ts';

/** Counts all rows of a node, or with those of all nodes below it. */
export type CountAll = (filter: NodeFilter) => Promise<number>;

/** The number of rows that were created before a time. */
interface Settled {
  readonly before: Date;
  readonly count: number;
}

/**
 * Age beyond which no further row can appear: a transaction lasts minutes at most, and after a failover the clock of the
 * new database may be a day behind.
 */
const SETTLED_AFTER = "interval '25 hours'";
/** Most nodes whose numbers a process remembers. */
const MAX_REMEMBERED = 10_000;

/**
 * Remembers the number of old rows and counts the rest. A restored database needs new processes.
 * @param model rows that are never deleted; neither they nor nodes move
 */
export const createCounter = (knex: Knex, model: typeof BaseModel): CountAll => {
  const remembered = new LRUCache<string, Settled>({ max: MAX_REMEMBERED });
  return async (filter) => {
    const key = `${filter.nodeId} ${filter.includeDescendants}`;
    const { before, count } = remembered.get(key) ?? { before: new Date(0), count: 0 };
    const bound = knex.raw(`greatest(?, date_trunc('second', now() - ${SETTLED_AFTER}))`, [before]);
    const [row] = (await model
      .query(knex)
      .ofNode(filter)
      .where('created_at', '>=', before)
      .select(
        knex.raw('count(*) AS total'),
        knex.raw('count(*) FILTER (WHERE created_at < ?) AS settled', [bound]),
        knex.raw('? AS before', [bound]),
      )) as unknown as [{ total: string; settled: string; before: Date }];
    remembered.set(key, { before: row.before, count: count + Number(row.settled) });
    return count + Number(row.total);
  };
};
