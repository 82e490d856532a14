import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

/** A statement that PostgreSQL parses and plans once per connection. */
export interface Statement {
  /** Name of the statement on the connection; unique among all statements. */
  readonly name: string;
  /** Has `$1` placeholders and named columns: the result of a prepared `*` must not change while a process runs. */
  readonly text: string;
}

interface RawConnection {
  query(config: { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Runs a prepared statement on a connection of the pool, outside any transaction. For the few statements that every request
 * needs: half the cost of the query builder.
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

/** Derives the name from the text, so that every process uses the same one. */
const nameOf = (text: string): string => {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
  names.set(text, name);
  return name;
};

/**
 * Runs SQL with named bindings like `knex.raw`, in a transaction or not, but PostgreSQL plans it once per connection. For
 * the queries of every round of lanes, watchers and the outbox, which took longer to plan than to run. The text must not
 * contain values: every connection keeps each text.
 */
export const planned = <Result>(
  knex: Knex,
  text: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Knex.Raw<Result> => knex.raw<Result>(text, bindings as Record<string, Knex.Value>).options({ name: nameOf(text) });
