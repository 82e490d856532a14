import type { Knex } from 'knex';
import { openOffered } from '../intents/offer-windows.ts';
import { oldestFirst, oldestRetry } from '../webhooks/due.ts';
import { awaitsBlocks, GONE_SECONDS, isLiving, KEPT, newestResponse } from './processes.ts';

/** A worker that was not told to stop. Ages are in seconds, by the database's clock. */
export interface WorkerLife {
  readonly id: string;
  readonly name: string;
  readonly started_at: Date;
  /** Since its newest sign of life. */
  readonly age: number;
  /** Since Temporal answered it, or since its start. */
  readonly temporal_age: number;
}

/** The state of a network's watcher. */
export interface NetworkLook {
  readonly id: string;
  readonly name: string;
  readonly block_time_ms: number;
  readonly is_halted: boolean;
  /** The newest block; null before the first. */
  readonly number: string | null;
  /** Seconds since the watcher was at the head of the chain; null when it never was. */
  readonly looked_age: number | null;
  /** Seconds since the head last changed. */
  readonly risen_age: number | null;
  /** True while a transaction, a payment or a cancel of Carat waits for blocks. */
  readonly is_awaited: boolean;
}

/** Ages in seconds; null where nothing of the kind exists. */
export interface Ages {
  /** Temporal's newest response. */
  readonly temporal: number | null;
  /** The oldest undelivered command or signal of payments and diamonds. */
  readonly command: number | null;
  /** The oldest queued intent without a waiting reason. */
  readonly intent: number | null;
  /** The oldest payment without an offer and without a known reason. */
  readonly offer: number | null;
  /** Since the most overdue first attempt of a webhook that does not fail was due, and the most overdue retry. */
  readonly first: number | null;
  readonly retry: number | null;
}

const ageOf = (time: string): string => `extract(epoch FROM clock_timestamp() - (${time}))::double precision`;

/** SQL: time of the oldest undelivered start. Skips through the index from group to group, so that a backlog costs nothing. */
const oldestStart = (() => {
  const starts = `FROM outbox o WHERE o.topic = 'create_payment' AND o.delivered_at IS NULL`;
  return `WITH RECURSIVE groups AS (
      (SELECT o.group_key ${starts} ORDER BY o.group_key LIMIT 1)
      UNION ALL SELECT (SELECT o.group_key ${starts} AND o.group_key > g.group_key ORDER BY o.group_key LIMIT 1)
      FROM groups g WHERE g.group_key IS NOT NULL)
    SELECT min(first.created_at) FROM groups g
    CROSS JOIN LATERAL (SELECT o.created_at ${starts} AND o.group_key = g.group_key ORDER BY o.id LIMIT 1) first`;
})();

const oldestSignal = `SELECT o.created_at FROM outbox o WHERE o.topic = 'payment_signal' AND o.delivered_at IS NULL
  ORDER BY o.id LIMIT 1`;

/** Excludes `webhook_command`, the separate topic of webhook retries, which move no money. */
const oldestCommand = `SELECT min(o.created_at) FROM outbox o WHERE o.topic = 'command' AND o.delivered_at IS NULL`;

/** The oldest among the first intents of each lane that is not paused. */
const oldestIntent = `SELECT min(first.created_at) FROM signer_accounts a CROSS JOIN LATERAL (
    SELECT min(q.created_at) FILTER (WHERE q.waiting IS NULL) AS created_at FROM (
      -- the order of the queue's index; by the id alone, PostgreSQL might read all settled intents
      SELECT i.created_at, i.waiting FROM tx_intents i WHERE i.account_id BETWEEN a.id AND a.id AND i.state = 'queued'
      ORDER BY i.account_id, i.id LIMIT 500) q) first
  WHERE a.status = 'active'`;

/** A run that does not look is no known reason. */
const oldestUnoffered = `SELECT min(p.created_at) FROM payments p WHERE ${openOffered('p')} AND p.status = 'pending'
  AND coalesce(p.status_detail, 'signing_stalled') = 'signing_stalled'`;

/** Reads the ages through partial indexes of open rows, so that closed ones cost nothing. */
export const readAges = async (knex: Knex, silenceSeconds: number): Promise<Ages> => {
  const { rows } = await knex.raw<{ rows: [Ages] }>(
    `SELECT ${ageOf(oldestFirst)} AS first, ${ageOf(oldestRetry)} AS retry,
       ${ageOf(newestResponse(':seconds::int'))} AS temporal, ${ageOf(oldestIntent)} AS intent, ${ageOf(oldestUnoffered)} AS offer,
       ${ageOf(`least((${oldestStart}), (${oldestSignal}), (${oldestCommand}))`)} AS command`,
    { seconds: silenceSeconds },
  );
  return rows[0];
};

/** Reads up to `limit` workers, by their newest sign of life, and the number of all. */
export const readWorkers = async (knex: Knex, limit: number): Promise<{ workers: WorkerLife[]; total: number }> => {
  const { rows } = await knex.raw<{ rows: (WorkerLife & { total: number })[] }>(
    `SELECT p.id, p.name, p.started_at, ${ageOf('p.beat_at')} AS age,
       ${ageOf('coalesce(p.temporal_at, p.started_at)')} AS temporal_age, count(*) OVER ()::int AS total
     FROM processes p WHERE p.kind = 'worker' AND p.stopped_at IS NULL AND p.beat_at > clock_timestamp() - ${KEPT}
     ORDER BY p.beat_at DESC, p.id LIMIT :limit`,
    { limit },
  );
  return { workers: rows, total: rows[0]?.total ?? 0 };
};

/** Reads the hosts of the apis that give signs of life, each once. */
export const readApiHosts = async (knex: Knex): Promise<string[]> => {
  const { rows } = await knex.raw<{ rows: { host: string }[] }>(
    `SELECT DISTINCT regexp_replace(p.name, '^[0-9]+@', '') AS host FROM processes p
     WHERE p.kind = 'api' AND ${isLiving('p', String(GONE_SECONDS))}`,
  );
  return rows.map(({ host }) => host);
};

/** Reads the state of the watchers of all networks except those at rest. */
export const readNetworkLooks = async (knex: Knex): Promise<NetworkLook[]> => {
  const { rows } = await knex.raw<{ rows: NetworkLook[] }>(
    `SELECT n.id, n.name, n.block_time_ms, coalesce(c.status = 'halted', false) AS is_halted, l.number,
       ${ageOf('l.looked_at')} AS looked_age, ${ageOf('l.risen_at')} AS risen_age,
       ${awaitsBlocks('n')} AS is_awaited
     FROM networks n LEFT JOIN watch_cursors c ON c.network_id = n.id LEFT JOIN network_looks l ON l.network_id = n.id
     WHERE n.rested_at IS NULL ORDER BY n.name, n.id`,
  );
  return rows;
};
