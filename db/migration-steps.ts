import type { Knex } from 'knex';
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
import { minutesThatRun } from './migrations/0067-minutes-that-run.ts';
import { alertSubjects } from './migrations/0068-alert-subjects.ts';

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
  minutesThatRun,
  alertSubjects,
];

/** All steps, in their order: a list in code instead of a folder scan, so that every loader sees the same one and no stray files. */
export const migrations: readonly Migration[] = [...withStop, ...withoutStop];
