import type { Knex } from 'knex';
import type { PaymentMethod, PaymentStatus } from '../../domain/payment.ts';
import type { BaseQueryBuilder, CreatedFilter, NodeFilter } from '../query/base-model.ts';
import type { CountAll } from '../query/counter.ts';
import { countOfBranches, fetchPage, type Branches, type Page, type PageRequest, eachPage } from '../query/page.ts';
import { prepared, type Statement } from '../query/statements.ts';
import { PaymentModel, paymentSelect, paymentRow } from './read.ts';

/** Filters of a list of payments. */
export interface PaymentFilter extends NodeFilter, CreatedFilter {
  readonly walletId?: string | undefined;
  readonly networkId?: string | undefined;
  readonly memberId?: string | undefined;
  readonly externalId?: string | undefined;
  readonly status?: PaymentStatus | undefined;
  readonly method?: PaymentMethod | undefined;
  /** Completion time: from the first instant on, and before the second. */
  readonly completedFrom?: Date | undefined;
  readonly completedTo?: Date | undefined;
  /** Changed at this time or later. */
  readonly updatedFrom?: Date | undefined;
  /** Hash of the buyer's transaction or of the deal's, lower-case hex. */
  readonly transactionHash?: string | undefined;
}

/** Largest difference between the clocks of two databases. */
const CLOCKS = "interval '1 day'";

/** Keeps the payments that match the filter, of any node. */
const matching = (query: BaseQueryBuilder<PaymentModel>, filter: PaymentFilter): BaseQueryBuilder<PaymentModel> => {
  const { completedFrom, completedTo, updatedFrom, transactionHash } = filter;
  void query.createdWithin(filter).matching({
    wallet_id: filter.walletId,
    network_id: filter.networkId,
    member_id: filter.memberId,
    external_id: filter.externalId,
    status: filter.status,
    payment_method: filter.method,
  });
  // Matches the index `payments_completed`.
  if (completedFrom ?? completedTo) void query.where('status', 'completed');
  if (completedFrom !== undefined) void query.where('terminal_at', '>=', completedFrom);
  // A completed payment was created before, so the list begins there and skips newer payments.
  if (completedTo !== undefined) {
    void query.where('terminal_at', '<', completedTo);
    void query.whereRaw(`created_at < ?::timestamptz + ${CLOCKS}`, [completedTo]);
  }
  if (updatedFrom !== undefined) void query.where('updated_at', '>=', updatedFrom);
  if (transactionHash !== undefined) {
    // Two index scans; an OR would read all payments of the node.
    void query.whereRaw(
      `id = ANY (ARRAY(SELECT id FROM payments WHERE paid_tx_hash = ? UNION SELECT id FROM payments WHERE deal_tx_hash = ?))`,
      [transactionHash, transactionHash],
    );
  }
  return query;
};

/** The query of the payments that match the filter. */
const matchingPayments = (knex: Knex, filter: PaymentFilter): BaseQueryBuilder<PaymentModel> =>
  matching(PaymentModel.query(knex).ofNode(filter), filter);

/** The same payments by node, of a filter that includes the nodes below; undefined for a filter of one node. */
const branchesOf = (knex: Knex, filter: PaymentFilter): Branches<PaymentModel> | undefined => {
  if (!filter.includeDescendants) return undefined;
  const ofBranch = PaymentModel.query(knex).whereColumn('payments.node_id', 'branch.id');
  return { rootId: filter.nodeId, ofBranch: matching(ofBranch, filter) };
};

/** The payments of one node, or with all below it, newest first. */
export const listPayments = (
  knex: Knex,
  filter: PaymentFilter,
  request: PageRequest,
  countAll: CountAll,
): Promise<Page<PaymentModel>> => {
  const { nodeId, includeDescendants, ...conditions } = filter;
  const isWhole = Object.values(conditions).every((value) => value === undefined);
  const branches = branchesOf(knex, filter);
  const countMatching = branches && (() => countOfBranches(knex, branches));
  const count = isWhole ? () => countAll({ nodeId, includeDescendants }) : countMatching;
  return fetchPage(matchingPayments(knex, filter).select(knex.raw(paymentSelect('payments'))), request, {
    branches,
    count,
  });
};

const targetsStatement: Statement = {
  name: 'payment_filter_targets',
  text: `SELECT n.id IS NOT NULL AS node,
      EXISTS (SELECT 1 FROM wallets w JOIN nodes o ON o.id = w.node_id
        WHERE w.id = $3 AND ($1 = ANY (o.path) OR w.node_id = ANY (n.path))) AS wallet,
      EXISTS (SELECT 1 FROM networks WHERE id = $4) AS network,
      EXISTS (SELECT 1 FROM members m JOIN nodes o ON o.id = m.node_id WHERE m.id = $5 AND $1 = ANY (o.path)) AS member
    FROM (VALUES (1)) AS one LEFT JOIN nodes n ON n.id = $2 AND $1 = ANY (n.path)`,
};

/**
 * Finds the first target of the filter that does not exist or that the caller may not name. Allowed are nodes from
 * `scopeId` down, their wallets and members, and wallets of the filtered node's ancestors, because its payments may use
 * them.
 */
export const findMissingTarget = async (knex: Knex, scopeId: string, filter: PaymentFilter) => {
  const { nodeId, walletId, networkId, memberId } = filter;
  const named = { node: nodeId, wallet: walletId, network: networkId, member: memberId };
  const values = [scopeId, ...Object.values(named).map((id) => id ?? null)];
  const [found] = await prepared<Record<keyof typeof named, boolean>>(knex, targetsStatement, values);
  const targets = Object.keys(named) as (keyof typeof named)[];
  return targets.find((target) => named[target] !== undefined && found?.[target] !== true) ?? null;
};

/** A payment without its items and its member. */
export type PaymentOfFile = Omit<PaymentModel, 'items' | 'member'>;

/** Number of payments read by one statement; each may have 8 KiB of metadata. */
const AT_ONCE = 200;

/**
 * All payments of a filter, newest first. Each page is one statement, so that no transaction lasts as long as the client
 * reads. A payment that matches throughout appears once, as it was when its page was read.
 */
export const readAllPayments = async function* (
  knex: Knex,
  filter: PaymentFilter,
): AsyncGenerator<readonly PaymentOfFile[], void> {
  const query = matchingPayments(knex, filter);
  const [oldest] = (await query
    .clone()
    .select(knex.raw('count(*)'), knex.raw('min(payments.created_at) AS at'))) as unknown as {
    at: Date | null;
  }[];
  if (oldest?.at == null) return;
  // Bounds the search by the oldest matching payment, so that nothing older is scanned.
  const since = { ...filter, createdFrom: oldest.at };
  const rows = matchingPayments(knex, since).select(knex.raw(paymentRow('payments')));
  yield* eachPage(rows, AT_ONCE, { branches: branchesOf(knex, since) });
};
