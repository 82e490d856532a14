import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import pg from 'pg';

/** SQL of a list of our own words, such as `'pending', 'failed'`: planners match literals with the predicates of indexes. */
export const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

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

/** Values by their names in the text (`:name`), or in the order of its question marks. */
type Bindings = object;

/*
 * How the statements of stores run. Each takes the connection or transaction with the bindings first, and then the text, its longest
 * part: `rowsOf<Row>(knex, { id })(`SELECT … WHERE id = :id`)`.
 */

const raw = <Result>(knex: Knex, text: string, bindings: Bindings | undefined): Knex.Raw<Result> =>
  knex.raw<Result>(text, bindings as Record<string, Knex.Value>);

/** The rows of a statement. */
export const rowsOf =
  <Row>(knex: Knex, bindings?: Bindings) =>
  async (text: string): Promise<Row[]> =>
    (await raw<{ rows: Row[] }>(knex, text, bindings)).rows;

/** The row of a statement that always has one. */
export const rowOf =
  <Row>(knex: Knex, bindings?: Bindings) =>
  async (text: string): Promise<Row> =>
    (await rowsOf<Row>(knex, bindings)(text))[0]!;

/** The first row of a statement; null for none. */
export const rowIf =
  <Row>(knex: Knex, bindings?: Bindings) =>
  async (text: string): Promise<Row | null> =>
    (await rowsOf<Row>(knex, bindings)(text))[0] ?? null;

/** The ids of the rows of a statement. */
export const idsOf =
  (knex: Knex, bindings?: Bindings) =>
  async (text: string): Promise<string[]> =>
    (await rowsOf<{ id: string }>(knex, bindings)(text)).map(({ id }) => id);

/** True when a statement finds or changes a row. */
export const hasRows =
  (knex: Knex, bindings?: Bindings) =>
  async (text: string): Promise<boolean> =>
    (await execute(knex, bindings)(text)) > 0;

/** Runs a statement. @returns the number of its rows */
export const execute =
  (knex: Knex, bindings?: Bindings) =>
  async (text: string): Promise<number> =>
    (await raw<{ rowCount: number }>(knex, text, bindings)).rowCount;

/** The rows of a statement that is `planned`. */
export const plannedRowsOf =
  <Row>(knex: Knex, bindings: Readonly<Record<string, unknown>> = {}) =>
  async (text: string): Promise<Row[]> =>
    (await planned<{ rows: Row[] }>(knex, text, bindings)).rows;

/** Runs a statement that is `planned`. @returns the number of its rows */
export const executePlanned =
  (knex: Knex, bindings: Readonly<Record<string, unknown>> = {}) =>
  async (text: string): Promise<number> =>
    (await planned<{ rowCount: number }>(knex, text, bindings)).rowCount;

type Bound<Run> = Run extends (knex: Knex, ...args: infer Args) => infer Result ? (...args: Args) => Result : never;

/** The functions of a store, each with its connection. */
export const boundTo = <Functions extends Readonly<Record<string, (knex: Knex, ...args: never[]) => unknown>>>(
  knex: Knex,
  functions: Functions,
) => {
  const bound = Object.entries(functions).map(([name, run]) => [name, (...args: never[]) => run(knex, ...args)]);
  return Object.fromEntries(bound) as { readonly [Name in keyof Functions]: Bound<Functions[Name]> };
};
