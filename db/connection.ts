import type { Socket } from 'node:net';
import knexFactory, { type Knex } from 'knex';
import type pg from 'pg';
import type { Log } from '../domain/ports/log.ts';

/**
 * Milliseconds after which PostgreSQL itself ends what a process left hanging: one statement, one wait for a lock, and a
 * transaction whose process does nothing any more, such as one that was frozen while it held a lease. A worker that goes
 * on after that finds its connection gone and its transaction undone.
 */
const limits = {
  api: { statement_timeout: 15_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 10_000 },
  worker: { statement_timeout: 30_000, lock_timeout: 10_000, idle_in_transaction_session_timeout: 5_000 },
  /** An operator waits for it and may look at what it asks; only locks of others are not waited for. */
  command: { statement_timeout: 0, lock_timeout: 15_000, idle_in_transaction_session_timeout: 60_000 },
} as const;

/**
 * The whole of a transaction, by api and worker, in milliseconds: who asks for what has changed may rely on it that nothing
 * appears later than that. None takes a tenth of it.
 */
const LONGEST_TRANSACTION = 600_000;

/**
 * Milliseconds without a byte either way after which api and worker give a connection up: PostgreSQL would have ended whatever
 * runs, and the pool has ended what rests. A server that is frozen, or whose machine is gone, says nothing of that.
 */
const LONGEST_SILENCE = 35_000;

/** Milliseconds of rest after which the kernel asks whether the other machine is still there. */
export const KEEP_ALIVE_AFTER = 10_000;

export interface ConnectionOptions {
  /** Connections kept at most. */
  readonly pool: number;
  /** What the process is; a command when absent. */
  readonly role?: keyof typeof limits;
  /** Shows in pg_stat_activity; named after the role when absent. */
  readonly applicationName?: string;
  /** Hears of connections that break. */
  readonly log?: Log;
}

const tell = (log: Log | undefined) => (message: unknown) => {
  const reason = message instanceof Error ? message.message : String(message);
  log?.warn('A database connection has trouble', { reason: reason.split('\n', 1)[0] });
};

/** Whether a connection is in no transaction: one whose ROLLBACK was canceled is, and refuses whatever it is asked next. */
const isIdle = (connection: pg.Client): boolean => connection.getTransactionStatus() === 'I';

/** Ends a connection that is silent; what waits for it fails, and the pool makes another one. */
const endOnceSilent = ({ connection: { stream } }: pg.Client, done: (error: Error | null) => void): void => {
  const socket = stream as Socket;
  socket.setTimeout(LONGEST_SILENCE, () => socket.destroy(new Error('Connection terminated after a long silence')));
  done(null);
};

/**
 * Opens a pool of PostgreSQL connections; none is made before the first query. `bigint` and `numeric` arrive as text,
 * so that no digit is lost, timestamps as `Date`.
 */
export const connect = (url: string, { pool, role = 'command', ...options }: ConnectionOptions): Knex =>
  knexFactory({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: options.applicationName ?? `carat-${role}`,
      // The kernel notices a machine that is gone while its connection rests; by itself it would look after two hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER,
      connectionTimeoutMillis: 5_000,
      ...limits[role],
      ...(role === 'command' ? {} : { options: `-c transaction_timeout=${LONGEST_TRANSACTION}` }),
    },
    pool: { min: 0, max: pool, validate: isIdle, ...(role === 'command' ? {} : { afterCreate: endOnceSilent }) },
    acquireConnectionTimeout: 5_000,
    log: { warn: tell(options.log), error: tell(options.log), deprecate: () => {}, debug: () => {} },
  });
