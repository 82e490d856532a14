import type { Knex } from 'knex';
import type { Model } from 'objection';
import type { PaymentMethod, PaymentStatus } from '../../domain/payment.ts';
import { PaymentLogModel } from './log-model.ts';
import { PaymentModel } from './model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { prepared, type Statement } from '../query/prepared.ts';

type PaymentColumn = Exclude<keyof PaymentModel, keyof Model | 'items' | 'member'>;

/** What statements read of a payment. A prepared `*` would fail once a migration adds a column while a process runs. */
const paymentColumns = [
  ...['id', 'node_id', 'external_id', 'chain_id', 'network_id', 'wallet_id', 'member_id', 'currency_id', 'decimals'],
  ...['price_units', 'paid_price_units', 'payment_method', 'payment_group', 'payment_address', 'metadata', 'client_ip'],
  ...['retry', 'retry_count', 'expires_at', 'expires_unix', 'status', 'status_detail', 'sequence', 'deal_id'],
  ...['diamond_address', 'token_address', 'terms_hash', 'deal_tx_hash', 'paid_tx_hash', 'terminal_at'],
  ...['created_at', 'updated_at'],
] as const satisfies PaymentColumn[];

/** The columns of a payment as a list for SELECT, of the table's name or alias in that statement. */
export const paymentColumnsOf = (payment: string): string =>
  paymentColumns.map((column) => `${payment}.${column}`).join(', ');

const itemsOf = (payment: string): string => `(
  SELECT coalesce(jsonb_agg(jsonb_build_object(
    'name', i.name, 'price_units', i.price_units::text, 'external_id', i.external_id) ORDER BY i.position), '[]')
  FROM payment_items i WHERE i.payment_id = ${payment}.id) AS items`;

const memberOf = (payment: string): string =>
  `(SELECT to_jsonb(m) FROM members m WHERE m.id = ${payment}.member_id) AS member`;

const findStatement: Statement = {
  name: 'find_payments',
  // The limit keeps the planner at one look by key for each, however small the table was when it planned.
  text: `SELECT wanted.position::int, p.*
    FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted (id, scope_id, position)
    CROSS JOIN LATERAL (
      SELECT ${paymentColumnsOf('o')}, ${itemsOf('o')}, ${memberOf('o')} FROM payments o JOIN nodes n ON n.id = o.node_id
      WHERE o.id = wanted.id AND wanted.scope_id = ANY (n.path) LIMIT 1
    ) p`,
};

/** A payment as somebody asks for it. */
export interface WantedPayment {
  readonly id: string;
  /** The node of whoever asks. */
  readonly scopeId: string;
}

/**
 * Payments in the order in which they are asked for, each of its `scopeId` or of a node below it; null for any other,
 * whether it exists or not.
 */
export const findPayments = async (knex: Knex, wanted: readonly WantedPayment[]): Promise<(PaymentModel | null)[]> => {
  const values = [wanted.map(({ id }) => id), wanted.map(({ scopeId }) => scopeId)];
  const rows = await prepared<PaymentModel & { position: number }>(knex, findStatement, values);
  const found = new Map(rows.map((row) => [row.position, row]));
  return wanted.map((_, index) => found.get(index + 1) ?? null);
};

/** One of them. */
export const findPayment = async (knex: Knex, scopeId: string, id: string): Promise<PaymentModel | null> => {
  const [payment] = await findPayments(knex, [{ id, scopeId }]);
  return payment ?? null;
};

export interface PaymentFilter {
  readonly nodeId: string;
  readonly includeDescendants: boolean;
  readonly walletId?: string | undefined;
  readonly networkId?: string | undefined;
  readonly memberId?: string | undefined;
  readonly externalId?: string | undefined;
  readonly status?: PaymentStatus | undefined;
  readonly method?: PaymentMethod | undefined;
  /** Inclusive. */
  readonly createdFrom?: Date | undefined;
  /** Exclusive. */
  readonly createdTo?: Date | undefined;
}

/** The payments of one node, or with all below it, newest first. */
export const listPayments = (knex: Knex, filter: PaymentFilter, request: PageRequest): Promise<Page<PaymentModel>> => {
  const equal = {
    wallet_id: filter.walletId,
    network_id: filter.networkId,
    member_id: filter.memberId,
    external_id: filter.externalId,
    status: filter.status,
    payment_method: filter.method,
  };
  const query = PaymentModel.query(knex)
    .select(knex.raw(paymentColumnsOf('payments')), knex.raw(itemsOf('payments')), knex.raw(memberOf('payments')))
    .where(Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined)));
  if (filter.createdFrom !== undefined) void query.where('created_at', '>=', filter.createdFrom);
  if (filter.createdTo !== undefined) void query.where('created_at', '<', filter.createdTo);
  if (filter.includeDescendants) {
    void query.whereRaw('node_id IN (SELECT id FROM nodes WHERE path @> ARRAY[?]::uuid[])', [filter.nodeId]);
  } else {
    void query.where({ node_id: filter.nodeId });
  }
  return fetchPage(query, request);
};

/** What a list of payments is filtered by, as far as it is there and in reach. */
export interface FilterTargets {
  readonly node: boolean;
  readonly wallet: boolean;
  readonly network: boolean;
  readonly member: boolean;
}

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
 * Says which of the filter's targets the caller may name: nodes from `scopeId` down, wallets and members of those, and
 * wallets of the filtered node's ancestors, because its payments may use them.
 */
export const findFilterTargets = async (knex: Knex, scopeId: string, filter: PaymentFilter): Promise<FilterTargets> => {
  const values = [scopeId, filter.nodeId, filter.walletId ?? null, filter.networkId ?? null, filter.memberId ?? null];
  const [row] = await prepared<FilterTargets>(knex, targetsStatement, values);
  return row ?? { node: false, wallet: false, network: false, member: false };
};

/**
 * True for an entry by somebody else than an integration, and by one of a node from the scope down. The node of an outside
 * token is only in the audit log; no id of an integration can be taken for such an actor, because theirs has a `#`.
 */
const actorInReach = `CASE
    WHEN actor_type <> 'integration' THEN true
    WHEN actor_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN EXISTS (
      SELECT 1 FROM integrations i JOIN nodes n ON n.id = i.node_id WHERE i.id = actor_id::uuid AND ?::uuid = ANY (n.path))
    ELSE EXISTS (
      SELECT 1 FROM audit_log a JOIN nodes n ON n.id = a.actor_node_id
      WHERE a.resource_id = payment_id AND a.actor_id = payment_logs.actor_id AND ?::uuid = ANY (n.path))
  END AS actor_in_reach`;

/** The log of a payment, newest first, as a reader of `scopeId` may know who acted. */
export const listPaymentLogs = (
  knex: Knex,
  scopeId: string,
  paymentId: string,
  request: PageRequest,
): Promise<Page<PaymentLogModel>> => {
  const query = PaymentLogModel.query(knex)
    .select('payment_logs.*', knex.raw(actorInReach, [scopeId, scopeId]))
    .where({ payment_id: paymentId });
  return fetchPage(query, request, 'sequence');
};

/** A payment with what its widget must know beside it. */
export interface WidgetPaymentRow extends PaymentModel {
  /** Decimal text. */
  readonly eip155: string;
  readonly currency_symbol: string;
  /** True once the diamond's code has the network's confirmations. */
  readonly diamond_active: boolean;
}

const widgetStatement: Statement = {
  name: 'widget_payment',
  text: `SELECT ${paymentColumnsOf('p')}, net.eip155, c.symbol AS currency_symbol,
      coalesce(d.status = 'active', false) AS diamond_active
    FROM payments p JOIN networks net ON net.id = p.network_id JOIN currencies c ON c.id = p.currency_id
    LEFT JOIN diamonds d ON d.network_id = p.network_id AND d.address = p.diamond_address
    WHERE p.id = $1`,
};

/** The payment a widget token opens. */
export const findWidgetPayment = async (knex: Knex, id: string): Promise<WidgetPaymentRow | null> => {
  const [row] = await prepared<WidgetPaymentRow>(knex, widgetStatement, [id]);
  return row ?? null;
};
