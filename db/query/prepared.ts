import { createHash } from 'node:crypto';
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

const names = new Map<string, string>();

/** The same text has the same name in every process, and another one another. */
const nameOf = (text: string): string => {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
  names.set(text, name);
  return name;
};

/**
 * Runs SQL with named bindings as `knex.raw` does, also in a transaction, and has PostgreSQL plan it once per connection. For
 * what lanes, watchers and the outbox ask in every round: to plan it took longer than to run it. Only for texts of which there
 * are few, which no value is part of: each is kept by every connection.
 */
export const planned = <Result>(
  knex: Knex,
  text: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Knex.Raw<Result> => knex.raw<Result>(text, bindings as Record<string, Knex.Value>).options({ name: nameOf(text) });
