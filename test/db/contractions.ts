import type { Knex } from 'knex';
import type { TableWork } from '../../db/migrate.ts';

/** What older code can rely on in a schema: relations, columns, constraints, unique indexes, functions, triggers and types. */
interface Schema {
  readonly columns: ReadonlyMap<string, Column>;
  /** The relations by name; `columns` are those that they bind. */
  readonly rules: ReadonlyMap<string, Rule>;
  readonly routines: ReadonlyMap<string, string>;
  readonly triggers: ReadonlyMap<string, Rule>;
  readonly labels: ReadonlySet<string>;
}

interface Column {
  readonly relation: string;
  readonly name: string;
  readonly type: string;
  readonly is_required: boolean;
  /** It has a default, or the database computes it. */
  readonly is_filled: boolean;
}

interface Rule {
  readonly relation: string;
  readonly columns: readonly string[];
  readonly text: string;
}

const rowsOf = async <Row>(knex: Knex, sql: string): Promise<Row[]> => (await knex.raw<{ rows: Row[] }>(sql)).rows;
const byName = <Row extends { readonly key: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.key, row]));

const own = `c.relnamespace = current_schema()::regnamespace AND c.relname NOT LIKE 'knex\\_%'`;
const namesOf = (numbers: string): string => `ARRAY(SELECT a.attname::text FROM pg_attribute a
  WHERE a.attrelid = c.oid AND a.attnum = ANY(${numbers}))`;

/** Reads the schema as it is in this transaction. */
export const readSchema = async (knex: Knex): Promise<Schema> => ({
  columns: byName(
    await rowsOf<Column & { key: string }>(
      knex,
      `SELECT c.relname || '.' || a.attname AS key, c.relname AS relation, a.attname AS name,
         format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS is_required,
         (a.atthasdef OR a.attidentity <> '') AS is_filled
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE ${own} AND c.relkind IN ('r', 'p', 'v', 'm')`,
    ),
  ),
  rules: byName(
    await rowsOf<Rule & { key: string }>(
      knex,
      `SELECT c.relname || '.' || o.conname AS key, c.relname AS relation, ${namesOf('o.conkey')} AS columns,
         pg_get_constraintdef(o.oid) AS text
       FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid WHERE ${own} AND o.contype <> 'n'
       UNION ALL SELECT c.relname || '.' || x.relname, c.relname, ${namesOf('i.indkey')}, pg_get_indexdef(i.indexrelid)
       FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
       WHERE ${own} AND i.indisunique AND NOT EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conindid = i.indexrelid)`,
    ),
  ),
  routines: new Map(
    (
      await rowsOf<{ key: string; text: string }>(
        knex,
        `SELECT p.oid::regprocedure::text AS key, md5(pg_get_functiondef(p.oid)) AS text FROM pg_proc p
         WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind IN ('f', 'p')
           AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
      )
    ).map(({ key, text }) => [key, text]),
  ),
  triggers: byName(
    await rowsOf<Rule & { key: string }>(
      knex,
      `SELECT c.relname || '.' || t.tgname AS key, c.relname AS relation, ARRAY[]::text[] AS columns,
         pg_get_triggerdef(t.oid) AS text
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE ${own} AND NOT t.tgisinternal`,
    ),
  ),
  labels: new Set(
    (
      await rowsOf<{ key: string }>(
        knex,
        `SELECT t.typname || '.' || e.enumlabel AS key FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
         WHERE t.typnamespace = current_schema()::regnamespace`,
      )
    ).map(({ key }) => key),
  ),
});

const columnProblems = (before: Schema, after: Schema): string[] => {
  const relations = new Set([...before.columns.values()].map(({ relation }) => relation));
  const changed = [...before.columns].flatMap(([key, was]) => {
    const is = after.columns.get(key);
    if (is === undefined) return [`${key} is gone`];
    return [
      ...(is.type === was.type ? [] : [`${key} has another type`]),
      ...(is.is_required && !was.is_required ? [`${key} can no longer be null`] : []),
      ...(is.is_required && was.is_filled && !is.is_filled ? [`${key} has lost its default`] : []),
    ];
  });
  const added = [...after.columns].filter(
    ([key, { relation, is_required, is_filled }]) =>
      !before.columns.has(key) && relations.has(relation) && is_required && !is_filled,
  );
  return [...changed, ...added.map(([key]) => `${key} is new, and needs a value`)];
};

const ruleProblems = (before: Schema, after: Schema): string[] => {
  const isOld = (relation: string, names: readonly string[]): boolean =>
    names.length === 0
      ? [...before.columns.values()].some((column) => column.relation === relation)
      : names.some((name) => before.columns.has(`${relation}.${name}`));
  const isUnique = (text: string): boolean => /^(CREATE UNIQUE|UNIQUE|PRIMARY KEY|EXCLUDE)/.test(text);
  return [
    ...[...after.rules].flatMap(([key, { relation, columns, text }]) =>
      before.rules.get(key)?.text !== text && isOld(relation, columns) ? [`${key} is a new rule: ${text}`] : [],
    ),
    // ON CONFLICT names them.
    ...[...before.rules].flatMap(([key, { text }]) =>
      isUnique(text) && !after.rules.has(key) ? [`${key} is gone`] : [],
    ),
  ];
};

const codeProblems = (before: Schema, after: Schema): string[] => {
  const relations = new Set([...before.columns.values()].map(({ relation }) => relation));
  return [
    ...[...before.routines].flatMap(([key, text]) => (after.routines.get(key) === text ? [] : [`${key} changes`])),
    ...[...before.triggers].flatMap(([key, { text }]) =>
      after.triggers.get(key)?.text === text ? [] : [`the trigger ${key} changes`],
    ),
    ...[...after.triggers].flatMap(([key, { relation }]) =>
      before.triggers.has(key) || !relations.has(relation) ? [] : [`the trigger ${key} is new`],
    ),
    ...[...before.labels].flatMap((label) => (after.labels.has(label) ? [] : [`the label ${label} is gone`])),
  ];
};

/** The parts of the later schema that code for the earlier one may miss or violate. */
export const contractions = (before: Schema, after: Schema): string[] => [
  ...columnProblems(before, after),
  ...ruleProblems(before, after),
  ...codeProblems(before, after),
];

/** Tables known to others that this transaction prevents them from writing. */
export const lockedTables = async (trx: Knex.Transaction, before: Schema): Promise<string[]> => {
  const relations = new Set([...before.columns.values()].map(({ relation }) => relation));
  const rows = await rowsOf<{ name: string }>(
    trx,
    `SELECT DISTINCT c.relname AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
     WHERE l.pid = pg_backend_pid() AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
       AND ${own} AND c.relkind IN ('r', 'p') ORDER BY 1`,
  );
  return rows.map(({ name }) => name).filter((name) => relations.has(name));
};

/** Where PostgreSQL keeps tables and indexes, and which rules it has held against stored rows. */
interface Storage {
  /** Files of tables, by name; a table that is written anew gets another one. */
  readonly files: ReadonlyMap<string, string>;
  /** Tables of indexes, by name of the index. */
  readonly indexes: ReadonlyMap<string, string>;
  /** Tables of checks and foreign keys, by table and name. */
  readonly rules: ReadonlyMap<string, string>;
  /** Whether a column may be null, by table and name. */
  readonly nulls: ReadonlyMap<string, string>;
}

const pairs = async (knex: Knex, sql: string): Promise<Map<string, string>> =>
  new Map((await rowsOf<{ name: string; value: string }>(knex, sql)).map(({ name, value }) => [name, value]));

/** Reads the storage as it is in this transaction. */
export const readStorage = async (knex: Knex): Promise<Storage> => ({
  files: await pairs(
    knex,
    `SELECT c.relname AS name, pg_relation_filenode(c.oid)::text AS value FROM pg_class c WHERE ${own} AND c.relkind = 'r'`,
  ),
  indexes: await pairs(
    knex,
    `SELECT x.relname AS name, c.relname AS value
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid WHERE ${own}`,
  ),
  rules: await pairs(
    knex,
    `SELECT c.relname || '.' || o.conname AS name, c.relname AS value FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
     WHERE ${own} AND o.convalidated AND o.contype IN ('c', 'f')`,
  ),
  nulls: await pairs(
    knex,
    `SELECT c.relname || '.' || a.attname AS name, (NOT a.attnotnull)::text AS value
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE ${own} AND c.relkind = 'r'`,
  ),
});

/** The work on all rows of the earlier tables. */
export const workOf = (before: Storage, after: Storage): TableWork[] => {
  const added = (kind: 'indexes' | 'rules'): string[] =>
    [...after[kind]]
      .filter(([name, table]) => before.files.has(table) && !before[kind].has(name))
      .map(([name]) => name);
  const isRead = [...after.nulls].some(([column, may]) => may === 'false' && before.nulls.get(column) === 'true');
  const isWrittenAnew = [...before.files].some(([table, file]) => (after.files.get(table) ?? file) !== file);
  return [
    ...(isRead || added('rules').length > 0 ? (['read'] as const) : []),
    ...added('indexes').map(() => 'index' as const),
    ...(isWrittenAnew ? (['rewrite'] as const) : []),
  ];
};
