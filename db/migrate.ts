import knexFactory, { type Knex } from 'knex';
import { hasOldProcess } from './level.ts';
import { untilLocked } from './query/until-locked.ts';
import { prepareRole, type ProcessRole } from './roles.ts';
import { tenancy } from './migrations/0001-tenancy.ts';
import { chain } from './migrations/0002-chain.ts';
import { payments } from './migrations/0003-payments.ts';
import { access } from './migrations/0004-access.ts';
import { reviewIndexes } from './migrations/0010-review-indexes.ts';
import { cheapChecks } from './migrations/0011-cheap-checks.ts';
import { platform } from './migrations/0012-platform.ts';
import { queueOfActive } from './migrations/0013-queue-of-active.ts';
import { unprovedLogs } from './migrations/0014-unproved-logs.ts';
import { whoAdopts } from './migrations/0015-who-adopts.ts';
import { commands } from './migrations/0016-commands.ts';
import { webhookDeliveries } from './migrations/0017-webhook-deliveries.ts';
import { logs } from './migrations/0018-logs.ts';
import { webhookRetries } from './migrations/0019-webhook-retries.ts';
import { alerts } from './migrations/0020-alerts.ts';
import { updates } from './migrations/0021-updates.ts';
import { lostAndFound } from './migrations/0024-lost-and-found.ts';
import { strayTokens } from './migrations/0025-stray-tokens.ts';
import { pagesOfOpenPayments } from './migrations/0026-pages-of-open-payments.ts';
import { webhookCommands } from './migrations/0027-webhook-commands.ts';
import { keyHolders } from './migrations/0028-key-holders.ts';
import { whyDeploymentsWait } from './migrations/0029-why-deployments-wait.ts';
import { processes } from './migrations/0030-processes.ts';
import { bounds } from './migrations/0032-bounds.ts';
import { reconciliation } from './migrations/0035-reconciliation.ts';
import { rehearsals } from './migrations/0036-rehearsals.ts';
import { payouts } from './migrations/0037-payouts.ts';
import { boundedTests } from './migrations/0038-bounded-tests.ts';
import { unreadWords } from './migrations/0040-unread-words.ts';
import { runsInOrder } from './migrations/0041-runs-in-order.ts';
import { paidAfterEnd } from './migrations/0042-paid-after-end.ts';
import { retiredNetworks } from './migrations/0043-retired-networks.ts';
import { encryptedColumns } from './migrations/0044-encrypted-columns.ts';
import { listsByStatus } from './migrations/0045-lists-by-status.ts';
import { floor } from './migrations/0046-floor.ts';
import { signers } from './migrations/0047-signers.ts';
import { offers } from './migrations/0048-offers.ts';
import { offerLooks } from './migrations/0049-offer-looks.ts';
import { networksForBuyers } from './migrations/0050-networks-for-buyers.ts';
import { waitingOffers } from './migrations/0051-waiting-offers.ts';
import { pageFields } from './migrations/0052-page-fields.ts';
import { branding } from './migrations/0053-branding.ts';
import { permits } from './migrations/0054-permits.ts';
import { toldPages } from './migrations/0055-told-pages.ts';
import { checkouts } from './migrations/0056-checkouts.ts';
import { ordersByStatus } from './migrations/0057-orders-by-status.ts';
import { retention } from './migrations/0058-retention.ts';
import { lowestFloor } from './migrations/0060-lowest-floor.ts';
import { restores } from './migrations/0061-restores.ts';
import { auditChain } from './migrations/0062-audit-chain.ts';
import { behindARestore } from './migrations/0063-behind-a-restore.ts';
import { computedLinks } from './migrations/0064-computed-links.ts';
import { endOfTheChain } from './migrations/0065-end-of-the-chain.ts';
import { inThePresent } from './migrations/0066-in-the-present.ts';

/** What PostgreSQL does with all rows of a table while nobody writes it: it reads them, builds an index over them, or writes them anew. */
export type TableWork = 'read' | 'index' | 'rewrite';

/** What a migration means for the processes of the version before, which run while it is applied and afterwards. */
export type Effect =
  | {
      /** They go on as before. */
      readonly kind: 'expand';
      /** Tables that nobody can write meanwhile, of those that exist before. */
      readonly locks: readonly string[];
      /** What takes long meanwhile; absent: nothing. */
      readonly work?: readonly TableWork[];
      /** Why they go on as before, although the change looks as if they could not. */
      readonly although?: string;
    }
  | {
      /** They fail: the step removes or narrows what they need, and waits until none of them is left. */
      readonly kind: 'contract';
      readonly locks: readonly string[];
      readonly work?: readonly TableWork[];
      /** The first level of code that does without it; see level.ts. */
      readonly level: number;
    };

/** One step of the schema. A released one never changes. */
export interface Migration {
  readonly name: string;
  /** Absent: a step from before upgrades without a stop. All processes must be stopped for it. */
  readonly effect?: Effect;
  /** `transaction: false` for what cannot be undone, such as CREATE INDEX CONCURRENTLY. */
  readonly config?: { readonly transaction: false };
  readonly up: (knex: Knex) => Promise<unknown> | Knex.Raw;
}

/** Steps from before upgrades without a stop. */
const withStop: readonly Migration[] = [
  tenancy,
  chain,
  payments,
  access,
  reviewIndexes,
  cheapChecks,
  platform,
  queueOfActive,
  unprovedLogs,
  whoAdopts,
  commands,
  webhookDeliveries,
  logs,
  webhookRetries,
  alerts,
  updates,
  lostAndFound,
  strayTokens,
  pagesOfOpenPayments,
  webhookCommands,
  keyHolders,
  whyDeploymentsWait,
  processes,
  bounds,
  reconciliation,
  rehearsals,
  payouts,
  boundedTests,
  unreadWords,
  runsInOrder,
  paidAfterEnd,
  retiredNetworks,
  encryptedColumns,
  listsByStatus,
  floor,
  signers,
  offers,
  offerLooks,
  networksForBuyers,
  waitingOffers,
  pageFields,
  branding,
  permits,
  toldPages,
  checkouts,
];

/** Steps that versions from 0056 on meet while they run. */
const withoutStop: readonly (Migration & { readonly effect: Effect })[] = [
  ordersByStatus,
  retention,
  lowestFloor,
  restores,
  auditChain,
  behindARestore,
  computedLinks,
  endOfTheChain,
  inThePresent,
];

/** All steps, in their order: a list in code instead of a folder scan, so that every loader sees the same one and no stray files. */
export const migrations: readonly Migration[] = [...withStop, ...withoutStop];

/** Milliseconds for which a step waits for a lock: everybody else who wants the table waits behind it. */
const LOCK_MS = 3_000;
/** Steps for knex. The role of the processes gets what a step adds in the transaction of the step: they write meanwhile. */
const sourceOf = (steps: readonly Migration[], role: ProcessRole | null = null) => ({
  getMigrations: () => Promise.resolve([...steps]),
  getMigrationName: (step: Migration) => step.name,
  getMigration: ({ name, effect, config, up }: Migration) =>
    Promise.resolve({
      ...(config === undefined ? {} : { config }),
      up: async (trx: Knex) => {
        if (config === undefined) await trx.raw(`SET LOCAL lock_timeout = ${LOCK_MS}`);
        if (effect?.kind === 'contract') await raiseFloor(trx, name, effect.level);
        await up(trx);
        await role?.grant(trx);
      },
      down: () => Promise.reject(new Error('Migrations cannot be reverted; restore a backup')),
    }),
});

/** From now on no older version starts. One that has started since the step was found due makes it fail. */
const raiseFloor = async (trx: Knex, name: string, level: number): Promise<void> => {
  await trx.raw('UPDATE floor SET level = greatest(level, :level), lowest = greatest(lowest, :level)', { level });
  const { rows } = await trx.raw<{ rows: [{ is_early: boolean }] }>(`SELECT ${hasOldProcess(level)} AS is_early`);
  if (rows[0].is_early) throw new Error(`a process of a version below level ${level} has started: ${name} must wait`);
};

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

/** Those of these names that are no steps of this version: a newer version has them. */
export const newerMigrations = (names: readonly string[], steps: readonly Migration[] = migrations): string[] =>
  names.filter((name) => !steps.some((step) => step.name === name));

/** What `migrate` has done. */
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
  for (const { name, effect } of steps) {
    if (effect?.kind !== 'contract') continue;
    const { rows } = await knex.raw<{ rows: [{ waits: boolean }] }>(`SELECT ${hasOldProcess(effect.level)} AS waits`);
    if (rows[0].waits) waiting.push(name);
  }
  return waiting;
};

/**
 * Migrates the database at `url`: first everything that older versions go on with, then the contract steps that no older process keeps
 * waiting. Idempotent, and safe in several processes at once.
 * @param processUrl the same database with the role of the processes, which gets its privileges with each step; it may be the owner's
 * @throws Error that names the steps of a newer version, when the database has such
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
  const latest = (some: readonly Migration[]) =>
    untilLocked(() =>
      knex.migrate.latest({ migrationSource: sourceOf(some, role), disableMigrationsListValidation: true }),
    );
  // Each in a transaction of its own, which holds no lock of the step before: processes that take both in the other order would deadlock.
  const inTurn = async (some: readonly Migration[]) => {
    for (const step of some) await latest([step]);
  };
  try {
    await knex.raw('SELECT pg_advisory_lock(7227271)');
    const before = await appliedMigrations(knex);
    const newer = newerMigrations(before, steps);
    if (newer.length > 0)
      throw new Error(
        `the database has the schema of a newer version of Carat (${newer.join(', ')}), which this version leaves as it is; start its processes without carat migrate`,
      );
    role = await prepareRole(url, processUrl);
    // Whoever had knex's own lock has died: nobody migrates without the lock above.
    if (before.length > 0) await knex.migrate.forceFreeMigrationsLock();
    const due = steps.filter(({ name }) => !before.includes(name));
    await latest(due.filter(({ effect }) => effect === undefined));
    await inTurn(due.filter(({ effect }) => effect?.kind === 'expand'));
    const waiting = await waitingSteps(knex, due);
    await inTurn(due.filter(({ name, effect }) => effect?.kind === 'contract' && !waiting.includes(name)));
    // Also the list of migrations, which knex adds, and what was changed by hand.
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
export const migrate = async (url: string): Promise<string[]> => (await migrateSteps(url)).applied;

/**
 * Refuses a database that lacks a migration of this version, before anything is read from it. A contract step may be missing, because it
 * comes last. A newer database is accepted, so that a process of the version before can start beside those of the new one.
 * @throws Error that names the first missing migration
 */
export const assertMigrated = async (knex: Knex): Promise<void> => {
  const applied = new Set(await appliedMigrations(knex));
  const missing = migrations.find(({ name, effect }) => effect?.kind !== 'contract' && !applied.has(name));
  if (missing === undefined) return;
  throw new Error(`the database lacks the migration ${missing.name}; run "carat migrate" first`);
};

/**
 * Migrates a database that nobody else uses in the caller's transaction.
 * @param names the wanted migrations; by default, all but the contract steps, which `carat migrate` does
 */
export const migrateWithin = async (trx: Knex.Transaction, names?: readonly string[]): Promise<void> => {
  const wanted = names ?? (await appliedMigrations(trx));
  const steps = migrations.filter(
    ({ name, effect }) => wanted.includes(name) || (names === undefined && effect?.kind !== 'contract'),
  );
  await trx.migrate.latest({ migrationSource: sourceOf(steps), disableTransactions: true });
};
