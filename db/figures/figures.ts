import type { Knex } from 'knex';
import { openStatuses, type PaymentMethod, type PaymentStatus } from '../../domain/payment.ts';
import { connect } from '../connection.ts';
import { GONE_SECONDS, KEPT, readAges } from '../processes/processes.ts';
import { rowsOf } from '../query/statements.ts';

/** The work that a lane has before it. Ages are in seconds by the database's clock. */
export interface LaneFigures {
  readonly network: string;
  readonly role: 'operator' | 'upgrader';
  readonly address: string;
  readonly is_paused: boolean;
  /** Intents without a nonce. */
  readonly queued: number;
  /** Slots that are in no block yet. */
  readonly in_flight: number;
  /** Age of the oldest of those slots; 0 without any. */
  readonly head_age: number;
}

/** Most intents of a lane that are counted. */
const COUNTED_INTENTS = 10_000;

const ageOf = (time: string): string =>
  `coalesce(greatest(0, extract(epoch FROM clock_timestamp() - ${time})), 0)::double precision`;

/** Reads the lanes, those that need attention first: paused, then by the age of their heads and their queues. */
const readLaneFigures = (knex: Knex): Promise<LaneFigures[]> =>
  rowsOf<LaneFigures>(knex)(`
     SELECT n.name AS network, a.role, a.address, a.status = 'paused' AS is_paused, q.queued, s.in_flight, s.head_age
     FROM signer_accounts a JOIN networks n ON n.id = a.network_id
     CROSS JOIN LATERAL (SELECT count(*)::int AS queued FROM (
       SELECT 1 FROM tx_intents i WHERE i.account_id BETWEEN a.id AND a.id AND i.state = 'queued' LIMIT ${COUNTED_INTENTS}) i) q
     CROSS JOIN LATERAL (SELECT count(*)::int AS in_flight, ${ageOf('min(t.created_at)')} AS head_age FROM tx_slots t
       WHERE t.account_id = a.id AND t.state <> 'confirmed' AND t.state <> 'mined') s
     WHERE a.role <> 'signer' AND n.rested_at IS NULL AND (a.dismissed_at IS NULL OR q.queued + s.in_flight > 0)
     ORDER BY is_paused DESC, s.head_age DESC, q.queued DESC, n.name, a.address`);

/** Open payments that are alike. */
export interface OpenPayments {
  readonly network: string;
  readonly method: PaymentMethod;
  readonly status: PaymentStatus;
  /** Empty: none. */
  readonly detail: string;
  readonly count: number;
  /** Seconds since the last change of the one that has not changed for the longest time. */
  readonly oldest: number;
}

/**
 * Groups open payments by network, method, status and detail. All are read, 0.4 seconds for a million: the one that has waited for
 * the longest time may be any of them, and the order of a bound would take temporary files.
 */
const readOpenPayments = (knex: Knex): Promise<OpenPayments[]> =>
  rowsOf<OpenPayments>(knex)(`SELECT n.name AS network, g.method, g.status, g.detail, g.count, g.oldest FROM (
       SELECT p.network_id, p.payment_method AS method, p.status, coalesce(p.status_detail, '') AS detail, count(*)::int AS count,
         greatest(0, extract(epoch FROM clock_timestamp() - min(p.updated_at)))::double precision AS oldest
       FROM payments p WHERE p.status IN (${openStatuses.map((status) => `'${status}'`).join(', ')})
       GROUP BY p.network_id, p.payment_method, p.status, p.status_detail) g
     JOIN networks n ON n.id = g.network_id`);

/** The reading of a network's blocks. Ages are in seconds by the database's clock; null where nothing happened yet. */
export interface NetworkFigures {
  readonly id: string;
  readonly name: string;
  /** Since the watcher was at the head of the chain. */
  readonly looked_age: number | null;
  /** Since the head last changed. */
  readonly risen_age: number | null;
  /** The newest block that was read, and the newest one that is confirmed. */
  readonly block: number | null;
  readonly confirmed_block: number | null;
  readonly is_halted: boolean;
  readonly endpoints: number;
}

/** Rows that wait, by group. */
export interface Waiting {
  readonly group: string;
  /** Up to 100,000. */
  readonly count: number;
  /** Age in seconds of the oldest of those that were counted. */
  readonly oldest: number;
}

/** Number of rows by a name. */
export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** Most rows of a group that are counted, so that a backlog does not make the metrics its second victim. */
const COUNTED = 100_000;

const ageInSeconds = (time: string): string =>
  `greatest(0, extract(epoch FROM clock_timestamp() - ${time}))::double precision`;

const networks = `SELECT n.id, n.name, ${ageInSeconds('l.looked_at')} AS looked_age, ${ageInSeconds('l.risen_at')} AS risen_age,
    c.number::double precision AS block, c.confirmed_number::double precision AS confirmed_block,
    coalesce(c.status = 'halted', false) AS is_halted, cardinality(n.rpc_urls) AS endpoints
  FROM networks n LEFT JOIN watch_cursors c ON c.network_id = n.id LEFT JOIN network_looks l ON l.network_id = n.id
  WHERE n.rested_at IS NULL ORDER BY n.name LIMIT 200`;

const outbox = `SELECT topic AS group, count(*)::int AS count, ${ageInSeconds('min(created_at)')} AS oldest
  FROM (SELECT o.topic, o.created_at FROM outbox o WHERE o.delivered_at IS NULL LIMIT ${COUNTED}) o GROUP BY topic`;

const deliveries = ['first', 'retry']
  .map(
    (group) => `SELECT '${group}' AS group, count(*)::int AS count, ${ageInSeconds('min(created_at)')} AS oldest
      FROM (SELECT d.created_at FROM webhook_deliveries d
        WHERE d.state = 'pending' AND d.attempts ${group === 'first' ? '=' : '>'} 0 LIMIT ${COUNTED}) d HAVING count(*) > 0`,
  )
  .join(' UNION ALL ');

const alerts = 'SELECT kind AS name, count(*)::int AS count FROM alerts WHERE closed_at IS NULL GROUP BY kind';

/** A process that was told to stop counts until its last sign of life is too old, or another of its kind starts: a restart is no missing process. */
const processes = `SELECT kind AS name, count(*)::int AS count FROM processes p
  WHERE beat_at > clock_timestamp() - interval '${GONE_SECONDS} seconds' AND (stopped_at IS NULL
    OR NOT EXISTS (SELECT 1 FROM processes n WHERE n.kind = p.kind AND n.started_at > p.stopped_at)) GROUP BY kind`;

/**
 * A process that was killed counts for an hour, until as many have started since. While no process gives signs of life, as in a
 * database that only reads, none of them is missing.
 */
const missing = `SELECT kind AS name, greatest(0, count(*) FILTER (WHERE is_gone)
    - count(*) FILTER (WHERE started_at > first_gone))::int AS count
  FROM (SELECT p.*, min(p.beat_at) FILTER (WHERE p.is_gone) OVER (PARTITION BY p.kind) AS first_gone
    FROM (SELECT kind, started_at, beat_at, stopped_at IS NULL AND beat_at <= clock_timestamp() - interval '${GONE_SECONDS} seconds' AS is_gone
      FROM processes WHERE beat_at > clock_timestamp() - ${KEPT}) p) p
  WHERE EXISTS (SELECT 1 FROM processes o WHERE o.beat_at > clock_timestamp() - interval '${GONE_SECONDS} seconds') GROUP BY kind`;

/** Figures of the whole database. Each is one statement that reads open rows only, through their indexes. */
export type FigureReaders = ReturnType<typeof createFigures>;

/** Creates the readers. They have a connection of their own, so that they also tell of a pool that is used up. */
export const createFigures = (url: string) => {
  const knex = connect(url, { pool: 1, role: 'metrics' });
  return {
    ages: () => readAges(knex, GONE_SECONDS),
    networks: () => rowsOf<NetworkFigures>(knex)(networks),
    payments: () => readOpenPayments(knex),
    lanes: () => readLaneFigures(knex),
    /** By topic. */
    outbox: () => rowsOf<Waiting>(knex)(outbox),
    /** Webhook deliveries: `first` and `retry` attempts. */
    deliveries: () => rowsOf<Waiting>(knex)(deliveries),
    /** Open alerts by kind. */
    alerts: () => rowsOf<NamedCount>(knex)(alerts),
    /** Processes with a recent sign of life, by kind; also stopped ones that none has replaced yet. */
    processes: () => rowsOf<NamedCount>(knex)(processes),
    /** Processes that have ended without a word, and that no later start has replaced, by kind. */
    missing: () => rowsOf<NamedCount>(knex)(missing),
    close: () => knex.destroy(),
  };
};
