import type { Knex } from 'knex';
import { LEVEL } from '../level.ts';
import { execute, plannedRowsOf, rowOf, rowsOf } from '../query/statements.ts';
import { openOffered } from '../intents/conditions.ts';
import { oldestFirst, oldestRetry } from '../webhooks/due.ts';
import { knownLimits } from '../intents/conditions.ts';

/** A running process. The id is new at each start. */
export interface RunningProcess {
  readonly id: string;
  readonly kind: 'api' | 'worker';
  /** Process id and host. */
  readonly name: string;
}

/**
 * Records a sign of life, and whether Temporal has just answered the process.
 * @returns the time of the database's clock, in milliseconds since the epoch
 */
export const recordLife = async (
  knex: Knex,
  { id, kind, name }: RunningProcess,
  isTemporalThere: boolean,
): Promise<number> => {
  const [row] = await plannedRowsOf<{ beat_ms: number }>(knex, {
    id,
    kind,
    name,
    level: LEVEL,
    is_there: isTemporalThere,
  })(`
     INSERT INTO processes (id, kind, name, level, temporal_at)
     VALUES (:id, :kind, :name, :level, CASE WHEN :is_there THEN clock_timestamp() END)
     ON CONFLICT (id) DO UPDATE
       SET beat_at = clock_timestamp(), temporal_at = coalesce(excluded.temporal_at, processes.temporal_at)
     RETURNING (extract(epoch FROM beat_at) * 1000)::float8 AS beat_ms`);
  return row!.beat_ms;
};

/** Records that the process was told to stop, so that its silence is no fault. */
export const recordStop = async (knex: Knex, id: string): Promise<void> => {
  await knex.raw('UPDATE processes SET stopped_at = clock_timestamp() WHERE id = :id', { id });
};

/** Seconds without a sign of life after which a process counts as gone, where no configuration says otherwise. */
export const GONE_SECONDS = 30;

/** SQL condition on a process: it was not told to stop, and has given a sign of life within so many seconds. */
const isLiving = (alias: string, seconds: string): string =>
  `${alias}.stopped_at IS NULL AND ${alias}.beat_at > clock_timestamp() - make_interval(secs => ${seconds})`;

/** SQL of the newest response of Temporal: to the workers while one lives, because they do the work; else to the api processes. */
export const newestResponse = (seconds: string): string => `SELECT max(p.temporal_at) FROM processes p
  WHERE p.kind = CASE WHEN EXISTS (SELECT 1 FROM processes w WHERE w.kind = 'worker' AND ${isLiving('w', seconds)}) THEN 'worker' ELSE 'api' END`;

/**
 * SQL condition on process `w`: a worker that gives signs of life, and that Temporal has not answered for so long. A worker that has just
 * started has as long for its first answer.
 */
export const isCutOff = (seconds: string): string => `(w.kind = 'worker' AND ${isLiving('w', seconds)}
  AND coalesce(w.temporal_at, w.started_at) <= clock_timestamp() - make_interval(secs => ${seconds}))`;

/** Time for which killed processes are shown. */
export const KEPT = "interval '1 hour'";

/** Deletes processes that ended long ago. @returns false, because one statement deletes all of them */
export const forgetProcesses = async (knex: Knex): Promise<boolean> => {
  await knex.raw(`DELETE FROM processes WHERE beat_at < clock_timestamp() - ${KEPT}`);
  return false;
};

/**
 * SQL condition: a transaction, a payment or the cancel of an offered deal has waited for blocks of a network for so long.
 * @param alias of `networks`
 * @param seconds SQL
 */
export const awaitsBlocks = (alias: string, seconds = '0'): string => {
  const since = `clock_timestamp() - make_interval(secs => ${seconds})`;
  const payment = `SELECT 1 FROM payments p WHERE p.network_id = ${alias}.id`;
  return `(EXISTS (SELECT 1 FROM tx_slots s JOIN signer_accounts own ON own.id = s.account_id
      WHERE own.network_id = ${alias}.id AND s.state <> 'confirmed' AND s.state <> 'assigned' AND s.created_at <= ${since})
    OR EXISTS (${payment} AND p.status = 'processing' AND p.updated_at <= ${since})
    OR EXISTS (${payment} AND p.deal_mode = 'offered' AND p.status = 'canceling' AND p.cancel_requested_at <= ${since}))`;
};

/** Seconds between two looks after which nobody knows whether the chain stood still: its blocks are awaited anew. */
const LONGEST_BLINK = 20;

/** Records that the watcher of a network is at the head of its chain, which is this block. */
export const recordLook = async (knex: Knex, networkId: string, number: number | null): Promise<void> => {
  await execute(knex, { network_id: networkId, number, blink: LONGEST_BLINK })(`
     INSERT INTO network_looks (network_id, number, looked_at, risen_at)
     VALUES (:network_id, :number, clock_timestamp(), clock_timestamp())
     ON CONFLICT (network_id) DO UPDATE SET number = excluded.number, looked_at = excluded.looked_at,
       risen_at = CASE WHEN network_looks.number IS DISTINCT FROM excluded.number
         OR network_looks.looked_at < excluded.looked_at - make_interval(secs => :blink) THEN excluded.risen_at ELSE network_looks.risen_at END`);
};

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
  /** What its endpoints demand of transactions, by all of its lanes. */
  readonly least_tip: string | null;
  readonly most_data: number | null;
  readonly most_gas: number | null;
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
export const readAges = (knex: Knex, silenceSeconds: number): Promise<Ages> =>
  rowOf<Ages>(knex, { seconds: silenceSeconds })(`SELECT ${ageOf(oldestFirst)} AS first, ${ageOf(oldestRetry)} AS retry,
       ${ageOf(newestResponse(':seconds::int'))} AS temporal, ${ageOf(oldestIntent)} AS intent, ${ageOf(oldestUnoffered)} AS offer,
       ${ageOf(`least((${oldestStart}), (${oldestSignal}), (${oldestCommand}))`)} AS command`);

/** Reads up to `limit` workers, by their newest sign of life, and the number of all. */
export const readWorkers = async (knex: Knex, limit: number): Promise<{ workers: WorkerLife[]; total: number }> => {
  const rows = await rowsOf<WorkerLife & { total: number }>(knex, { limit })(`
     SELECT p.id, p.name, p.started_at, ${ageOf('p.beat_at')} AS age,
       ${ageOf('coalesce(p.temporal_at, p.started_at)')} AS temporal_age, count(*) OVER ()::int AS total
     FROM processes p WHERE p.kind = 'worker' AND p.stopped_at IS NULL AND p.beat_at > clock_timestamp() - ${KEPT}
     ORDER BY p.beat_at DESC, p.id LIMIT :limit`);
  return { workers: rows, total: rows[0]?.total ?? 0 };
};

/** Reads the hosts of the apis that give signs of life, each once. */
export const readApiHosts = async (knex: Knex): Promise<string[]> => {
  const rows = await rowsOf<{ host: string }>(knex)(`
     SELECT DISTINCT regexp_replace(p.name, '^[0-9]+@', '') AS host FROM processes p
     WHERE p.kind = 'api' AND ${isLiving('p', String(GONE_SECONDS))}`);
  return rows.map(({ host }) => host);
};

/** Reads the state of the watchers of all networks except those at rest. */
export const readNetworkLooks = (knex: Knex): Promise<NetworkLook[]> =>
  rowsOf<NetworkLook>(knex)(`
     SELECT n.id, n.name, n.block_time_ms, coalesce(c.status = 'halted', false) AS is_halted, l.number,
       ${ageOf('l.looked_at')} AS looked_age, ${ageOf('l.risen_at')} AS risen_age,
       ${awaitsBlocks('n')} AS is_awaited, k.*
     FROM networks n CROSS JOIN LATERAL (
       SELECT max(own.value) FILTER (WHERE own.name = 'tip')::text AS least_tip,
         min(own.value) FILTER (WHERE own.name = 'data')::float8 AS most_data, min(own.value) FILTER (WHERE own.name = 'gas')::float8 AS most_gas
       FROM signer_accounts a CROSS JOIN LATERAL jsonb_each_text(${knownLimits('a')}) AS one (name, text)
       CROSS JOIN LATERAL (SELECT one.name, one.text::numeric AS value) own WHERE a.network_id = n.id) k
     LEFT JOIN watch_cursors c ON c.network_id = n.id LEFT JOIN network_looks l ON l.network_id = n.id
     WHERE n.rested_at IS NULL ORDER BY n.name, n.id`);
