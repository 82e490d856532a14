import type { Knex } from 'knex';
import { copyOut, type CopiedTable, type WrittenFile } from './copy.ts';

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
export const tablesOf = async (knex: Knex): Promise<CopiedTable[]> => {
  const { rows } = await knex.raw<{ rows: CopiedTable[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> ALL(:without) GROUP BY c.relname ORDER BY c.relname`,
    { without: OF_MIGRATIONS },
  );
  return rows;
};

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
      const { rows: moments } = await trx.raw<{ rows: [{ at: Date; postgres: string }] }>(
        `SELECT clock_timestamp() AS at, split_part(current_setting('server_version'), ' ', 1) AS postgres`,
      );
      const [{ at, postgres }] = moments;
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
      const { rows: sequences } = await trx.raw<{ rows: { name: string; last: string | null }[] }>(
        `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
         WHERE schemaname = current_schema() AND sequencename NOT LIKE 'knex\\_%' ORDER BY sequencename`,
      );
      const lasts = Object.fromEntries(sequences.map(({ name, last }) => [name, last]));
      return { at: at.toISOString(), postgres, migrations, tables, sequences: lasts, networks };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );

const networksOf = async (knex: Knex): Promise<DumpedNetwork[]> => {
  const { rows } = await knex.raw<{ rows: DumpedNetwork[] }>(
    `SELECT n.name, n.eip155::int AS eip155, c.number::float8 AS block, coalesce((SELECT jsonb_agg(jsonb_build_object('role', a.role, 'address', a.address)
         ORDER BY a.role, a.address) FROM signer_accounts a WHERE a.network_id = n.id AND a.dismissed_at IS NULL), '[]') AS keys
     FROM networks n LEFT JOIN watch_cursors c ON c.network_id = n.id ORDER BY n.name`,
  );
  return rows;
};
