import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { rowOf, rowsOf } from '../query/statements.ts';

/** Favours speed: the text of tables shrinks to a fifth at any level. */
const LEVEL = 1;

/** Calls `see` with each chunk that passes. */
const tap = (see: (chunk: Buffer) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
      see(chunk);
      done(null, chunk);
    },
  });

/** The connection of a transaction, which stays the transaction's. */
const connectionOf = (trx: Knex.Transaction): Promise<pg.Client> =>
  (trx.client as { acquireConnection(): Promise<pg.Client> }).acquireConnection();

/** A table whose rows are copied. */
export interface CopiedTable {
  readonly name: string;
  /** In their order; without those that PostgreSQL generates. */
  readonly columns: readonly string[];
}

const targetOf = (knex: Knex, { name, columns }: CopiedTable): string =>
  knex.raw(`?? (${columns.map(() => '??').join(', ')})`, [name, ...columns]).toQuery();

export interface WrittenFile {
  readonly rows: number;
  /** Of the file. */
  readonly bytes: number;
  /** Of the file, as hex. */
  readonly sha256: string;
}

/**
 * Writes the rows of a table, as the transaction sees them, into a new compressed file that only its owner can read, in the text
 * format of COPY.
 */
const copyOut = async (trx: Knex.Transaction, table: CopiedTable, file: string): Promise<WrittenFile> => {
  const connection = await connectionOf(trx);
  const hash = createHash('sha256');
  let bytes = 0;
  // A query, because COPY of a partitioned table writes nothing.
  const columns = knexColumns(trx, table);
  const rows = connection.query(to(`COPY (SELECT ${columns} FROM ${trx.raw('??', [table.name]).toQuery()}) TO STDOUT`));
  await pipeline(
    rows,
    createGzip({ level: LEVEL }),
    tap((chunk) => {
      hash.update(chunk);
      bytes += chunk.length;
    }),
    createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
  );
  return { rows: rows.rowCount, bytes, sha256: hash.digest('hex') };
};

const knexColumns = (knex: Knex, { columns }: CopiedTable): string =>
  knex.raw(columns.map(() => '??').join(', '), [...columns]).toQuery();

/**
 * Reads the rows of a file of `copyOut` into a table.
 * @returns the number of rows
 */
export const copyIn = async (trx: Knex.Transaction, table: CopiedTable, file: string): Promise<number> => {
  const connection = await connectionOf(trx);
  const rows = connection.query(from(`COPY ${targetOf(trx, table)} FROM STDIN`));
  await pipeline(createReadStream(file), createGunzip(), rows);
  return rows.rowCount;
};

/** The digest of a file as hex, and its size. */
export const digestOfFile = async (file: string): Promise<Omit<WrittenFile, 'rows'>> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
};

/** A table of a backup, with its file. */
export interface DumpedTable extends CopiedTable, WrittenFile {
  /** Name of the file. */
  readonly file: string;
}

/** The content of a database at one moment. */
export interface Dump {
  /** The moment by the database's clock, as ISO 8601. */
  readonly at: string;
  /** Version of the server, such as `18.4`. */
  readonly postgres: string;
  /** Names of the applied migrations, in their order. */
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  /** The last values of sequences, as decimal text; null for one that was never used. */
  readonly sequences: Readonly<Record<string, string | null>>;
  readonly networks: readonly DumpedNetwork[];
}

/** A network of the catalogue, and how far it was read. */
export interface DumpedNetwork {
  readonly name: string;
  readonly eip155: number;
  /** The newest block that the watcher had read; null for none. */
  readonly block: number | null;
  /** The keys that the workers' keystore must have. */
  readonly keys: readonly { readonly role: string; readonly address: string }[];
}

/** The migrations have written these when the rows are loaded. */
const OF_MIGRATIONS = ['knex_migrations', 'knex_migrations_lock'];

/** The tables of the database with their columns, by name. */
export const tablesOf = (knex: Knex): Promise<CopiedTable[]> =>
  rowsOf<CopiedTable>(knex, { without: OF_MIGRATIONS })(`
     SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> ALL(:without) GROUP BY c.relname ORDER BY c.relname`);

/**
 * Writes all rows of the database, as one moment has them, into files of an existing folder. Changes nothing, and holds up nobody.
 * @param pathOf path of the file of this name
 * @param report called for each table
 */
export const dump = (
  knex: Knex,
  pathOf: (file: string) => string,
  report: (table: DumpedTable, index: number, count: number) => void,
): Promise<Dump> =>
  knex.transaction(
    async (trx) => {
      // The first statement takes the snapshot.
      const { at, postgres } = await rowOf<{ at: Date; postgres: string }>(trx)(
        `SELECT clock_timestamp() AS at, split_part(current_setting('server_version'), ' ', 1) AS postgres`,
      );
      const migrations = await trx('knex_migrations').orderBy('id').pluck<string[]>('name');
      const networks = await networksOf(trx);
      const all = await tablesOf(trx);
      const tables: DumpedTable[] = [];
      for (const table of all) {
        const file = `${table.name}.copy.gz`;
        const written = { ...table, file, ...(await copyOut(trx, table, pathOf(file))) };
        tables.push(written);
        report(written, tables.length, all.length);
      }
      // Sequences are of no snapshot, so they are read last: a value may be skipped, and none comes twice.
      const sequences = await rowsOf<{ name: string; last: string | null }>(trx)(`
         SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
         WHERE schemaname = current_schema() AND sequencename NOT LIKE 'knex\\_%' ORDER BY sequencename`);
      const lasts = Object.fromEntries(sequences.map(({ name, last }) => [name, last]));
      return { at: at.toISOString(), postgres, migrations, tables, sequences: lasts, networks };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );

const networksOf = (knex: Knex): Promise<DumpedNetwork[]> =>
  rowsOf<DumpedNetwork>(knex)(`
     SELECT n.name, n.eip155::int AS eip155, c.number::float8 AS block, coalesce((SELECT jsonb_agg(jsonb_build_object('role', a.role, 'address', a.address)
         ORDER BY a.role, a.address) FROM signer_accounts a WHERE a.network_id = n.id AND a.dismissed_at IS NULL), '[]') AS keys
     FROM networks n LEFT JOIN watch_cursors c ON c.network_id = n.id ORDER BY n.name`);
