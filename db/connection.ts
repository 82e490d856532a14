import knexFactory, { type Knex } from 'knex';
import type { Log } from '../domain/ports/log.ts';

export interface ConnectionOptions {
  /** Connections kept at most. */
  readonly pool: number;
  /** Shows in pg_stat_activity. */
  readonly applicationName?: string;
  /** Hears of connections that break. */
  readonly log?: Log;
}

const tell = (log: Log | undefined) => (message: unknown) => {
  const reason = message instanceof Error ? message.message : String(message);
  log?.warn('A database connection has trouble', { reason: reason.split('\n', 1)[0] });
};

/**
 * Opens a pool of PostgreSQL connections; none is made before the first query. `bigint` and `numeric` arrive as text,
 * so that no digit is lost, timestamps as `Date`.
 */
export const connect = (url: string, options: ConnectionOptions): Knex =>
  knexFactory({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: options.applicationName ?? 'carat',
      // The kernel notices a dead peer, so that no request hangs without end.
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    },
    pool: { min: 0, max: options.pool },
    acquireConnectionTimeout: 5_000,
    log: { warn: tell(options.log), error: tell(options.log), deprecate: () => {}, debug: () => {} },
  });
