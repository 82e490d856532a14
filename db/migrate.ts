import knexFactory, { type Knex } from 'knex';
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

const migrations = [
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
  ordersByStatus,
  retention,
];

type Step = (typeof migrations)[number];

/** A list in code instead of a folder scan, so that every loader sees the same order and no stray files. */
const source = {
  getMigrations: () => Promise.resolve(migrations),
  getMigrationName: (step: Step) => step.name,
  getMigration: (step: Step) =>
    Promise.resolve({
      up: step.up,
      down: () => Promise.reject(new Error('Migrations cannot be reverted; restore a backup')),
    }),
};

/**
 * Migrates the database at `url` to the newest schema. Idempotent, and safe in several processes at once.
 * @returns names of the newly applied migrations
 */
export const migrate = async (url: string): Promise<string[]> => {
  const knex = knexFactory({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
  try {
    await knex.raw('SELECT pg_advisory_lock(7227271)');
    const [, applied] = (await knex.migrate.latest({ migrationSource: source })) as [number, string[]];
    return applied;
  } finally {
    await knex.destroy();
  }
};

const UNDEFINED_TABLE = '42P01';

/**
 * Refuses a database that lacks a migration of this version, before anything is read from it. A newer database is accepted, so
 * that a process of the version before can start beside those of the new one.
 * @throws Error that names the first missing migration
 */
export const assertMigrated = async (knex: Knex): Promise<void> => {
  // Not `knex.migrate.list`, which creates the table, while another process may be migrating.
  const applied = new Set(
    await knex<{ name: string }>('knex_migrations')
      .pluck<string[]>('name')
      .catch((error: unknown) => {
        if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return [];
        throw error;
      }),
  );
  const missing = migrations.find(({ name }) => !applied.has(name));
  if (missing === undefined) return;
  throw new Error(`the database lacks the migration ${missing.name}; run "carat migrate" first`);
};
