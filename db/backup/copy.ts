import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';

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
export const copyOut = async (trx: Knex.Transaction, table: CopiedTable, file: string): Promise<WrittenFile> => {
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
