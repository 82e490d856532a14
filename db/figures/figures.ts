import { connect } from '../connection.ts';
import { GONE_SECONDS, KEPT } from '../processes/processes.ts';
import { readAges, type Ages } from '../processes/status.ts';
import { readLaneFigures, type LaneFigures } from './lanes.ts';
import { readOpenPayments, type OpenPayments } from './payments.ts';

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

/** Figures of the whole database. Each is one statement that reads open rows only, through their indexes. */
export interface FigureReaders {
  ages(): Promise<Ages>;
  networks(): Promise<NetworkFigures[]>;
  payments(): Promise<OpenPayments[]>;
  lanes(): Promise<LaneFigures[]>;
  /** By topic. */
  outbox(): Promise<Waiting[]>;
  /** Webhook deliveries: `first` and `retry` attempts. */
  deliveries(): Promise<Waiting[]>;
  /** Open alerts by kind. */
  alerts(): Promise<NamedCount[]>;
  /** Processes with a recent sign of life, by kind; also stopped ones that none has replaced yet. */
  processes(): Promise<NamedCount[]>;
  /** Processes that have ended without a word, and that no later start has replaced, by kind. */
  missing(): Promise<NamedCount[]>;
  close(): Promise<void>;
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

/** Creates the readers. They have a connection of their own, so that they also tell of a pool that is used up. */
export const createFigures = (url: string): FigureReaders => {
  const knex = connect(url, { pool: 1, role: 'metrics' });
  const rowsOf =
    <Row>(sql: string) =>
    async (): Promise<Row[]> =>
      (await knex.raw<{ rows: Row[] }>(sql)).rows;
  return {
    ages: () => readAges(knex, GONE_SECONDS),
    networks: rowsOf(networks),
    payments: () => readOpenPayments(knex),
    lanes: () => readLaneFigures(knex),
    outbox: rowsOf(outbox),
    deliveries: rowsOf(deliveries),
    alerts: rowsOf(alerts),
    processes: rowsOf(processes),
    missing: rowsOf(missing),
    close: () => knex.destroy(),
  };
};
