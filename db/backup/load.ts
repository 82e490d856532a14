import type { Knex } from 'knex';
import { haveBaseline, migrateWithin, newerMigrations } from '../migrate.ts';
import { rowsOf } from '../query/statements.ts';
import { copyIn, tablesOf, type Dump, type DumpedTable } from './dump.ts';
import { markRestored, type Mark } from './mark.ts';

/** A backup that is loaded. */
export interface LoadedBackup extends Pick<Dump, 'at' | 'migrations' | 'tables' | 'sequences'> {
  readonly id: string;
}

/**
 * Refuses a backup of a newer version of Carat, and one from before the baseline.
 * @throws Error that says which
 */
export const assertLoadable = ({ migrations }: Pick<Dump, 'migrations'>): void => {
  const [unknown] = newerMigrations(migrations);
  if (unknown !== undefined) {
    throw new Error(`the backup is of a newer version of Carat, whose migration ${unknown} this one lacks`);
  }
  if (!haveBaseline(migrations)) {
    throw new Error('the backup is of an unreleased version of Carat, whose schema this one does not make');
  }
};

/** True when the database's current schema has no table, view, sequence or function of its own. */
const isEmpty = async (knex: Knex): Promise<boolean> => {
  const rows = await rowsOf(knex)(`
     SELECT 1 FROM (SELECT oid, 'pg_class'::regclass AS class FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace
       UNION ALL SELECT oid, 'pg_proc'::regclass FROM pg_proc WHERE pronamespace = quote_ident(current_schema())::regnamespace) o
     WHERE NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype = 'e') LIMIT 1`);
  return rows.length === 0;
};

/**
 * Loads a backup into an empty database and marks it as restored, in one transaction: a database has all of it or nothing. The
 * schema is made as the backup's version made it, filled, and migrated to this version.
 * @param pathOf path of the file of this name
 * @param report called for each table
 * @throws Error when the database is not empty, or the files do not fit the schema
 */
export const load = (
  knex: Knex,
  backup: LoadedBackup,
  pathOf: (file: string) => string,
  report: (table: DumpedTable, index: number, count: number) => void,
): Promise<Mark> =>
  knex.transaction(async (trx) => {
    if (!(await isEmpty(trx))) throw new Error('the database is not empty: restore into a new one');
    await migrateWithin(trx, backup.migrations);
    const tables = await fitting(trx, backup);
    const foreignKeys = await dropForeignKeys(trx);
    const names = tables.map(({ name }) => name);
    // Migrations have written some rows.
    await trx.raw(`TRUNCATE ${names.map(() => '??').join(', ')}`, names);
    for (const [index, table] of tables.entries()) {
      // Triggers watch changes of the product; these rows have been seen.
      await trx.raw('ALTER TABLE ?? DISABLE TRIGGER USER', [table.name]);
      const rows = await copyIn(trx, table, pathOf(table.file));
      if (rows !== table.rows) throw new Error(`${table.file} has ${rows} rows instead of ${table.rows}`);
      await trx.raw('ALTER TABLE ?? ENABLE TRIGGER USER', [table.name]);
      report(table, index + 1, tables.length);
    }
    for (const add of foreignKeys) await trx.raw(add);
    for (const [sequence, last] of Object.entries(backup.sequences)) {
      if (last !== null) await trx.raw('SELECT setval(:sequence::regclass, :last::bigint)', { sequence, last });
    }
    await migrateWithin(trx);
    // They ran elsewhere.
    await trx.raw('UPDATE processes SET stopped_at = clock_timestamp() WHERE stopped_at IS NULL');
    return markRestored(trx, { backupId: backup.id, stateOf: backup.at });
  });

/**
 * The tables of the backup, which must be those of the schema.
 * @throws Error that names a table that differs
 */
const fitting = async (trx: Knex.Transaction, { tables }: LoadedBackup): Promise<readonly DumpedTable[]> => {
  const shapeOf = (columns: readonly string[] = []): string => [...columns].sort().join();
  const own = new Map((await tablesOf(trx)).map(({ name, columns }) => [name, columns]));
  const given = new Map(tables.map(({ name, columns }) => [name, columns]));
  const names = new Set([...own.keys(), ...given.keys()]);
  const odd = [...names].find((name) => shapeOf(own.get(name)) !== shapeOf(given.get(name)));
  if (odd !== undefined) throw new Error(`the table ${odd} of the backup differs from the schema of its migrations`);
  return tables;
};

/** Drops all foreign keys, so that tables can be filled in any order. @returns the statements that add and check them again */
const dropForeignKeys = async (trx: Knex.Transaction): Promise<string[]> => {
  const rows = await rowsOf<{ drop: string; add: string }>(trx)(`
     SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
     FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace = quote_ident(current_schema())::regnamespace
     ORDER BY conrelid::regclass::text, conname`);
  for (const { drop } of rows) await trx.raw(drop);
  return rows.map(({ add }) => add);
};
