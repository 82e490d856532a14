import knexFactory, { type Knex } from 'knex';
import { adoptBaseline, haveBaseline, isFormer } from './former-steps.ts';
import { mayOldProcessRun, raiseFloor } from './level.ts';
import { baseline } from './migrations/0068-baseline.ts';
import { untilLocked } from './query/until-locked.ts';
import { prepareRole, type ProcessRole } from './roles.ts';
import { migrations, type Migration } from './migration-steps.ts';

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
