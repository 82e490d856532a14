import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import pg from 'pg';

/** A statement that PostgreSQL parses and plans once per connection. */
export interface Statement {
  /** The statement's name on the connection, unique among all statements. */
  readonly name: string;
  /** With `$1` placeholders. It names its columns, because a migration must not change the result of a prepared `*`. */
  readonly text: string;
}

/** Columns of a table that a LEFT JOIN may not find: then all of them are null. */
export type Joined<Columns> = Columns | { readonly [Name in keyof Columns]: null };

interface RawConnection {
  query(config: { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Runs a prepared statement on a connection of the pool, outside any transaction. For the few statements that every request
 * needs: it costs half as much as through the query builder.
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

/**
 * Runs a prepared statement in the same way, and passes on each row as it arrives, so that the rows of a large result are never in
 * memory together.
 * @param take must not throw
 */
export const preparedRows = async <Row extends pg.QueryResultRow>(
  knex: Knex,
  statement: Statement,
  values: readonly unknown[],
  take: (row: Row) => void,
): Promise<void> => {
  const client = knex.client as Knex.Client;
  const connection = (await client.acquireConnection()) as pg.Client;
  try {
    await new Promise<void>((resolve, reject) => {
      const query = new pg.Query<Row>({ ...statement, values: [...values] });
      query
        .on('row', take)
        .on('end', () => resolve())
        .on('error', reject);
      connection.query(query);
    });
  } finally {
    await client.releaseConnection(connection);
  }
};

const names = new Map<string, string>();

/** Derives a statement's name from its text, so that all processes agree. */
const nameOf = (text: string): string => {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
  names.set(text, name);
  return name;
};

/**
 * Runs SQL with named bindings like `knex.raw`, also in a transaction, but PostgreSQL plans it once per connection. For queries
 * that lanes, watchers and the outbox run in every round, because their planning took longer than their execution. Only for a
 * few texts without interpolated values, because every connection keeps each of them.
 */
export const planned = <Result>(
  knex: Knex,
  text: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Knex.Raw<Result> => knex.raw<Result>(text, bindings as Record<string, Knex.Value>).options({ name: nameOf(text) });
