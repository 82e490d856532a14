import type { Knex } from 'knex';
import { KEPT, newestAnswer } from './processes.ts';

/** A worker that was not told to stop. Ages are in seconds, by the database's clock. */
export interface WorkerLife {
  readonly id: string;
  readonly name: string;
  readonly started_at: Date;
  readonly age: number;
}

/** How a network is watched. */
export interface NetworkLook {
  readonly id: string;
  readonly name: string;
  readonly block_time_ms: number;
  readonly is_halted: boolean;
  /** The newest block; null where none was read. */
  readonly number: string | null;
  /** Seconds since the watcher stood at the head of the chain; null: never. */
  readonly looked_age: number | null;
  /** Seconds since that head was a new one. */
  readonly risen_age: number | null;
  /** A transaction or a payment of ours waits for blocks. */
  readonly is_awaited: boolean;
}

/** How old the oldest of each kind is, in seconds; null where there is none. */
export interface Ages {
  /** Of Temporal's newest answer. */
  readonly temporal: number | null;
  /** Of what Temporal has not been told of payments and diamonds. */
  readonly command: number | null;
  /** Of what is wanted on a chain and has neither a nonce nor a reason to wait. */
  readonly intent: number | null;
}

const ageOf = (time: string): string => `extract(epoch FROM clock_timestamp() - (${time}))::double precision`;

/** SQL: when the oldest start was stored, from group to group in the index, so that a backlog costs nothing. */
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

/** What wakes the retries of webhooks moves no money, and has a topic of its own. */
const oldestCommand = `SELECT min(o.created_at) FROM outbox o WHERE o.topic = 'command' AND o.delivered_at IS NULL`;

/** Of each lane that is not paused, among the first that it would send. */
const oldestIntent = `SELECT min(first.created_at) FROM signer_accounts a CROSS JOIN LATERAL (
    SELECT min(q.created_at) FILTER (WHERE q.waiting IS NULL) AS created_at FROM (
      -- as the index of the queue has it; by the id alone all that is over could be read
      SELECT i.created_at, i.waiting FROM tx_intents i WHERE i.account_id BETWEEN a.id AND a.id AND i.state = 'queued'
      ORDER BY i.account_id, i.id LIMIT 500) q) first
  WHERE a.status = 'active'`;

/** How old each of them is. Reads by indexes of what is open; what is over costs nothing. */
export const readAges = async (knex: Knex, silenceSeconds: number): Promise<Ages> => {
  const { rows } = await knex.raw<{ rows: [Ages] }>(
    `SELECT ${ageOf(newestAnswer(':seconds::int'))} AS temporal, ${ageOf(oldestIntent)} AS intent,
       ${ageOf(`least((${oldestStart}), (${oldestSignal}), (${oldestCommand}))`)} AS command`,
    { seconds: silenceSeconds },
  );
  return rows[0];
};

/** Workers by their newest sign of life, at most so many, and how many there are. */
export const readWorkers = async (knex: Knex, limit: number): Promise<{ workers: WorkerLife[]; total: number }> => {
  const { rows } = await knex.raw<{ rows: (WorkerLife & { total: number })[] }>(
    `SELECT p.id, p.name, p.started_at, ${ageOf('p.beat_at')} AS age, count(*) OVER ()::int AS total
     FROM processes p WHERE p.kind = 'worker' AND p.stopped_at IS NULL AND p.beat_at > clock_timestamp() - ${KEPT}
     ORDER BY p.beat_at DESC, p.id LIMIT :limit`,
    { limit },
  );
  return { workers: rows, total: rows[0]?.total ?? 0 };
};

/** The networks of the catalogue, which the operator wrote, and how each is watched. One at rest is watched by nobody. */
export const readNetworkLooks = async (knex: Knex): Promise<NetworkLook[]> => {
  const { rows } = await knex.raw<{ rows: NetworkLook[] }>(
    `SELECT n.id, n.name, n.block_time_ms, coalesce(c.status = 'halted', false) AS is_halted, l.number,
       ${ageOf('l.looked_at')} AS looked_age, ${ageOf('l.risen_at')} AS risen_age,
       EXISTS (SELECT 1 FROM tx_slots s JOIN signer_accounts a ON a.id = s.account_id
         WHERE a.network_id = n.id AND s.state <> 'confirmed' AND s.state <> 'assigned')
       OR EXISTS (SELECT 1 FROM payments p WHERE p.network_id = n.id AND p.status = 'processing') AS is_awaited
     FROM networks n LEFT JOIN watch_cursors c ON c.network_id = n.id LEFT JOIN network_looks l ON l.network_id = n.id
     WHERE n.rested_at IS NULL ORDER BY n.name, n.id`,
  );
  return rows;
};
