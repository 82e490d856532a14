import knexFactory, { type Knex } from 'knex';

export interface ConnectionOptions {
  /** Connections kept at most. */
  readonly pool: number;
  /** Shows in pg_stat_activity. */
  readonly applicationName?: string;
}

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
      // A dead peer is noticed by the kernel instead of hanging a request for ever.
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    },
    pool: { min: 0, max: options.pool },
    acquireConnectionTimeout: 5_000,
  });
