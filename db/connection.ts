import type { Socket } from 'node:net';
import knexFactory, { type Knex } from 'knex';
import type pg from 'pg';
import type { Log } from '../domain/ports/log.ts';
import { measure, type RefusalReason } from '../runtime/measures.ts';

/** The reasons by SQLSTATE. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  '25006': 'read_only',
  '53100': 'disk_full',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
};

interface Coded {
  readonly code?: string;
}

const report = ({ code = '' }: Coded): void => {
  const reason = reasons[code];
  if (reason !== undefined) measure('refusal', { reason });
};

/** Reports the refusals of statements, also inside transactions, and those of new connections. */
const reportRefusals = (knex: Knex): Knex => {
  const { pool } = knex.client as {
    pool: { on(event: 'createFail', listen: (id: number, error: Coded) => void): void };
  };
  pool.on('createFail', (_id, error) => report(error));
  return knex.on('query-error', report);
};

/**
 * Timeouts in milliseconds that PostgreSQL enforces on a statement, a wait for a lock, and an idle transaction, such as one
 * whose process was frozen while it held a lease. A worker that wakes after that finds its connection closed and its
 * transaction rolled back.
 */
const limits = {
  api: { statement_timeout: 15_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 10_000 },
  worker: { statement_timeout: 30_000, lock_timeout: 10_000, idle_in_transaction_session_timeout: 5_000 },
  /** A reader of metrics waits for two seconds, and gets no older figures. */
  metrics: { statement_timeout: 2_000, lock_timeout: 1_000, idle_in_transaction_session_timeout: 5_000 },
  /** An operator watches a command and may need time to answer it, so only its waits for locks are short. */
  command: { statement_timeout: 0, lock_timeout: 15_000, idle_in_transaction_session_timeout: 60_000 },
  /** A command that only reads must end while an operator watches it, however busy the database is. */
  reader: { statement_timeout: 10_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 10_000 },
} as const;

/**
 * Timeout of a whole transaction of api and worker, in milliseconds. Clients that poll for changes rely on it: no change
 * becomes visible later than this after its timestamp. No transaction takes a tenth of it.
 */
const LONGEST_TRANSACTION = 600_000;

const bounded = { options: `-c transaction_timeout=${LONGEST_TRANSACTION}` } as const;

/** Further settings of a connection. */
const settings = {
  api: bounded,
  worker: bounded,
  command: {},
  metrics: { options: '-c default_transaction_read_only=on' },
  reader: { options: '-c default_transaction_read_only=on' },
} as const;

/**
 * Milliseconds without traffic after which api and worker close a connection. By then PostgreSQL has ended any statement, and
 * the pool has closed idle connections, so the server is frozen or its machine is gone.
 */
const LONGEST_SILENCE = 35_000;

/** Idle milliseconds after which the kernel sends TCP keep-alives. */
export const KEEP_ALIVE_AFTER = 10_000;

export interface ConnectionOptions {
  /** Most connections. */
  readonly pool: number;
  /** Kind of the process. Default `command`. */
  readonly role?: keyof typeof limits;
  /** Name in pg_stat_activity. Derived from the role by default. */
  readonly applicationName?: string;
  /** Gets warnings about broken connections. */
  readonly log?: Log;
}

const tell = (log: Log | undefined) => (message: unknown) => {
  const reason = message instanceof Error ? message.message : String(message);
  log?.warn('A database connection failed', { reason: reason.split('\n', 1)[0] });
};

/** True outside transactions. A connection whose ROLLBACK was cancelled is still in one, and would refuse every statement. */
const isIdle = (connection: pg.Client): boolean => connection.getTransactionStatus() === 'I';

/** Closes a connection after a long silence. Its pending query fails, and the pool opens another connection. */
const endOnceSilent = ({ connection: { stream } }: pg.Client, done: (error: Error | null) => void): void => {
  const socket = stream as Socket;
  socket.setTimeout(LONGEST_SILENCE, () => socket.destroy(new Error('Connection terminated after a long silence')));
  done(null);
};

/**
 * Creates a pool of PostgreSQL connections, which connects at the first query. `bigint` and `numeric` arrive as text, so that no
 * digit is lost; timestamps arrive as `Date`.
 */
export const connect = (url: string, { pool, role = 'command', ...options }: ConnectionOptions): Knex =>
  reportRefusals(
    knexFactory({
      client: 'pg',
      connection: {
        connectionString: url,
        application_name: options.applicationName ?? `carat-${role}`,
        // Keep-alives detect a machine that is gone while its connection is idle. Their default delay is two hours.
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER,
        connectionTimeoutMillis: 5_000,
        ...limits[role],
        ...settings[role],
      },
      pool: { min: 0, max: pool, validate: isIdle, ...(role === 'command' ? {} : { afterCreate: endOnceSilent }) },
      acquireConnectionTimeout: 5_000,
      log: { warn: tell(options.log), error: tell(options.log), deprecate: () => {}, debug: () => {} },
    }),
  );

/** The counts of a pool's connections, for the metrics. */
export interface PoolCounts {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
  readonly max: number;
}

export const poolOf = (knex: Knex): PoolCounts => (knex.client as { pool: PoolCounts }).pool;
