import type { Knex } from 'knex';

/** A statement that PostgreSQL parses and plans once per connection. */
export interface Statement {
  /** Unique among all statements: it is the statement's name on the connection. */
  readonly name: string;
  /** With `$1` placeholders, and columns by name: the result of a prepared `*` must not change while a process runs. */
  readonly text: string;
}

interface RawConnection {
  query(config: { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Runs a prepared statement on a connection of the pool, outside of any transaction. For the few statements that every
 * request needs: it costs half of what the same text costs through the query builder.
 */
export const prepared = async <Row>(knex: Knex, statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
  const client = knex.client as Knex.Client;
  const connection = (await client.acquireConnection()) as RawConnection;
  try {
    const { rows } = await connection.query({ ...statement, values });
    return rows as Row[];
  } finally {
    await client.releaseConnection(connection);
  }
};
