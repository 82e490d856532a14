import { createHash } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { baseline } from './migrations/0068-baseline.ts';
import { BASELINE_LEVEL, mayOldProcessRun, raiseFloor } from './level.ts';
import { schemaText } from './schema-text.ts';
import { alertSubjects } from './migrations/0069-alert-subjects.ts';
import { laneLimits } from './migrations/0070-lane-limits.ts';
import { untilLocked } from './query/errors.ts';
import { prepareRole, type ProcessRole } from './roles.ts';

/*
 * The schema was made by 55 steps before it became the baseline. A database that has exactly those, and the schema that they made, is
 * taken for one that the baseline made.
 */

/** SHA-256 of the 55 names, sorted and separated by commas. */
const NAMES = '2201ef717daab8f730e87da6076ab3730e3a185cedb6e635ba7bc1db68779283';
/** SHA-256 of the schema, as `schemaText` describes it. */
const SCHEMA = '0ea5d33a5fc40fb79d9889a9577122ab748769be3188255aa906993f2d3209f4';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** True for the name of a step before the baseline. */
export const isFormer = (name: string): boolean => name < baseline.name;

/** True when these applied steps contain the baseline, or are all steps before it and no others. */
export const haveBaseline = (names: readonly string[]): boolean =>
  names.includes(baseline.name) || digestOf([...names].sort().join()) === NAMES;

/** Why a database with these applied steps cannot have the baseline; null: it can, or has it. */
export const baselineRefusal = async (knex: Knex, names: readonly string[]): Promise<string | null> => {
  if (names.includes(baseline.name)) return null;
  const text = await schemaText(knex);
  if (names.length === 0)
    return text === '' ? null : 'the database has a schema without a list of migrations; migrate an empty database';
  if (haveBaseline(names) && digestOf(text) === SCHEMA) return null;
  return `the database has the schema of an unreleased version of Carat, which is not that of ${baseline.name}; start anew with an empty database (the local stack: npm run reset)`;
};

/**
 * Puts the baseline's name into the list of a database that the steps before it made, and removes theirs once no process runs that looks
 * for them at its start: a process of the version before can be started again until then.
 * @param names the applied steps
 * @throws Error that says why the database cannot have the baseline; then nothing has changed
 */
const adoptBaseline = async (trx: Knex.Transaction, names: readonly string[]): Promise<void> => {
  const refusal = await baselineRefusal(trx, names);
  if (refusal !== null) throw new Error(refusal);
  if (!names.some(isFormer)) return;
  const { name } = baseline;
  if (!names.includes(name))
    await trx.raw(
      'INSERT INTO knex_migrations (name, batch, migration_time) SELECT :name, max(batch) + 1, now() FROM knex_migrations',
      { name },
    );
  if (await mayOldProcessRun(trx, BASELINE_LEVEL)) return;
  await raiseFloor(trx, name, BASELINE_LEVEL);
  await trx('knex_migrations').where('name', '<', name).delete();
};

/** PostgreSQL's work on all rows of a table while nobody can write it: it reads them, builds an index over them, or writes them anew. */
export type TableWork = 'read' | 'index' | 'rewrite';

/** The effect of a migration on the processes of the version before, which run while it is applied and afterwards. */
export type Effect =
  | {
      /** They go on as before. */
      readonly kind: 'expand';
      /** Tables that nobody can write meanwhile, of those that exist before. */
      readonly locks: readonly string[];
      /** Work that takes long meanwhile; absent: none. */
      readonly work?: readonly TableWork[];
      /** Why they go on as before, although the change looks as if they could not. */
      readonly although?: string;
    }
  | {
      /** They fail: the step removes or narrows a part that they need, and waits until none of them is left. */
      readonly kind: 'contract';
      readonly locks: readonly string[];
      readonly work?: readonly TableWork[];
      /** The first level of code that does without it; see level.ts. */
      readonly level: number;
    };

/** One step of the schema. A released one never changes. */
export interface Migration {
  readonly name: string;
  readonly effect: Effect;
  /** `transaction: false` for what cannot be undone, such as CREATE INDEX CONCURRENTLY. */
  readonly config?: { readonly transaction: false };
  readonly up: (knex: Knex) => Promise<unknown> | Knex.Raw;
}

/** All steps, in their order: a list in code instead of a folder scan, so that every loader sees the same one and no stray files. */
export const migrations: readonly Migration[] = [baseline, alertSubjects, laneLimits];

/** Milliseconds for which a step waits for a lock: every other statement on the table waits behind it. */
const LOCK_MS = 3_000;
/** Steps for knex. The role of the processes gets its privileges on new tables in the transaction of the step: they write meanwhile. */
const sourceOf = (steps: readonly Migration[], role: ProcessRole | null = null) => ({
  getMigrations: () => Promise.resolve([...steps]),
  getMigrationName: (step: Migration) => step.name,
  getMigration: ({ name, effect, config, up }: Migration) =>
    Promise.resolve({
      ...(config === undefined ? {} : { config }),
      up: async (trx: Knex) => {
        if (config === undefined) await trx.raw(`SET LOCAL lock_timeout = ${LOCK_MS}`);
        if (effect.kind === 'contract') await raiseFloor(trx, name, effect.level);
        await up(trx);
        await role?.grant(trx);
      },
      down: () => Promise.reject(new Error('Migrations cannot be reverted; restore a backup')),
    }),
});

const UNDEFINED_TABLE = '42P01';

/** Names of the applied steps; none in an empty database. Not `knex.migrate.list`, which creates its table, while another process may be migrating. */
export const appliedMigrations = async (knex: Knex): Promise<string[]> =>
  knex<{ name: string }>('knex_migrations')
    .orderBy('id')
    .pluck<string[]>('name')
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return [];
      throw error;
    });

/** Those of these names that are no steps of this version, and of none before: a newer version has them. */
export const newerMigrations = (names: readonly string[], steps: readonly Migration[] = migrations): string[] =>
  names.filter((name) => !isFormer(name) && !steps.some((step) => step.name === name));

export interface Migrated {
  /** Names of the applied steps. */
  readonly applied: string[];
  /** Contract steps that wait until no process of an older version is left. */
  readonly waiting: string[];
  /** Name of the processes' role, if it was created; else null. */
  readonly created: string | null;
}

/** The contract steps that an older process still keeps waiting. */
const waitingSteps = async (knex: Knex, steps: readonly Migration[]): Promise<string[]> => {
  const waiting: string[] = [];
  for (const { name, effect } of steps)
    if (effect.kind === 'contract' && (await mayOldProcessRun(knex, effect.level))) waiting.push(name);
  return waiting;
};

/**
 * Migrates the database at `url`: first everything that older versions go on with, then the contract steps that no older process keeps
 * waiting. Idempotent, and safe in several processes at once.
 * @param processUrl the same database with the role of the processes, which gets its privileges with each step; it may be the owner's
 * @throws Error that names the steps of a newer version, when the database has such; or that says why it cannot have the baseline
 */
export const migrateSteps = async (
  url: string,
  steps: readonly Migration[] = migrations,
  processUrl = url,
): Promise<Migrated> => {
  // Knex also prints the errors that it throws.
  const log = { warn: () => {}, error: () => {} };
  const knex = knexFactory({ client: 'pg', connection: url, pool: { min: 0, max: 2 }, log });
  let role: ProcessRole | null = null;
  // Knex would call the steps that are left out corrupt.
  const latest = (step: Migration) =>
    untilLocked(() =>
      knex.migrate.latest({ migrationSource: sourceOf([step], role), disableMigrationsListValidation: true }),
    );
  // Each in a transaction of its own, which holds no lock of the step before: processes that take both in the other order would deadlock.
  const inTurn = async (some: readonly Migration[]) => {
    for (const step of some) await latest(step);
  };
  try {
    await knex.raw('SELECT pg_advisory_lock(7227271)');
    const before = await appliedMigrations(knex);
    const newer = newerMigrations(before, steps);
    if (newer.length > 0)
      throw new Error(
        `the database has the schema of a newer version of Carat (${newer.join(', ')}), which this version leaves as it is; start its processes without carat migrate`,
      );
    await knex.transaction((trx) => adoptBaseline(trx, before));
    role = await prepareRole(url, processUrl);
    // The holder of knex's own lock has died: nobody migrates without the lock above.
    if (before.length > 0) await knex.migrate.forceFreeMigrationsLock();
    const done = await appliedMigrations(knex);
    const due = steps.filter(({ name }) => !done.includes(name));
    await inTurn(due.filter(({ effect }) => effect.kind === 'expand'));
    const waiting = await waitingSteps(knex, due);
    await inTurn(due.filter(({ name, effect }) => effect.kind === 'contract' && !waiting.includes(name)));
    // Also the list of migrations, which knex adds, and changes by hand.
    await knex.transaction(async (trx) => role?.grant(trx));
    const applied = (await appliedMigrations(knex)).filter((name) => !before.includes(name));
    return { applied, waiting, created: role?.isNew === true ? role.user : null };
  } finally {
    await knex.destroy();
  }
};

/**
 * Migrates the database at `url` to the newest schema.
 * @returns names of the newly applied migrations
 */
export const migrateDatabase = async (url: string): Promise<string[]> => (await migrateSteps(url)).applied;

/**
 * Refuses a database that lacks a migration of this version, before anything is read from it. A contract step may be missing, because it
 * comes last. A newer database is accepted, so that a process of the version before can start beside those of the new one.
 * @throws Error that names the first missing migration
 */
export const assertMigrated = async (knex: Knex): Promise<void> => {
  const applied = new Set(await appliedMigrations(knex));
  const missing = migrations.find(({ name, effect }) => effect.kind !== 'contract' && !applied.has(name));
  if (missing === undefined) return;
  throw new Error(`the database lacks the migration ${missing.name}; run "carat migrate" first`);
};

/**
 * Migrates a database that nobody else uses in the caller's transaction.
 * @param names the wanted migrations, where the baseline stands for all steps before it; by default, all but the contract steps, which
 * `carat migrate` does
 */
export const migrateWithin = async (trx: Knex.Transaction, names?: readonly string[]): Promise<void> => {
  const wanted = names ?? (await appliedMigrations(trx));
  const steps = migrations.filter(
    ({ name, effect }) =>
      wanted.includes(name) ||
      (names === undefined && effect.kind !== 'contract') ||
      (name === baseline.name && haveBaseline(wanted)),
  );
  await trx.migrate.latest({ migrationSource: sourceOf(steps), disableTransactions: true });
};
