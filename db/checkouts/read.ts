import type { Knex } from 'knex';
import type { Pojo } from 'objection';
import type { CheckoutFacts } from '../../domain/checkouts/checkout-facts.ts';
import type { CheckoutStatus } from '../../domain/checkouts/checkout.ts';
import { merchantColumn, type MerchantRow } from '../branding/branding.ts';
import type { MemberRecord } from '../payments/read.ts';
import {
  modelOf,
  type BaseModel,
  type BaseQueryBuilder,
  type CreatedFilter,
  type NodeFilter,
} from '../query/base-model.ts';
import type { CountAll } from '../query/counter.ts';
import { countOfBranches, fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { rowOf } from '../query/statements.ts';
import { toPaymentFacts, checkoutColumns, checkoutParts } from '../webhooks/events.ts';

/** A checkout whose buyer chooses, with its options, payments and member. Addresses are lower-case hex. */
export class CheckoutModel extends modelOf<CheckoutFacts>() {
  static override readonly tableName = 'checkouts';

  declare expires_unix: string;
  declare member: MemberRecord | null;

  /** The payment comes as PostgreSQL writes it as JSON: its times are text. */
  override $parseDatabaseJson(json: Pojo): Pojo {
    const { payment, ...row } = super.$parseDatabaseJson(json) as Pojo & { payment?: StoredPayment };
    return { ...row, ...(payment !== undefined && { payment: payment && toPaymentFacts(payment) }) };
  }
}

type StoredPayment = Parameters<typeof toPaymentFacts>[0] | null;

/** The columns of a checkout with its parts. */
export type CheckoutRecord = Omit<CheckoutModel, keyof BaseModel>;

const columns = [...checkoutColumns, 'expires_unix'].map((column) => `checkouts.${column}`);

const parts = [
  ...Object.entries(checkoutParts('checkouts')).map(([name, sql]) => `${sql} AS ${name}`),
  '(SELECT to_jsonb(m) FROM members m WHERE m.id = checkouts.member_id) AS member',
].join(', ');

const select = (knex: Knex) => CheckoutModel.query(knex).select(...columns, knex.raw(parts));

/** Finds a checkout of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findCheckout = async (knex: Knex, scopeId: string, id: string): Promise<CheckoutModel | null> =>
  (await select(knex).inReach(scopeId).findById(id)) ?? null;

/** Finds the checkout of a checkout token. */
export const findAnyCheckout = async (knex: Knex, id: string): Promise<CheckoutModel | null> =>
  (await select(knex).findById(id)) ?? null;

/** Finds the checkout of a node by its external_id. */
export const findNamedCheckout = async (
  knex: Knex,
  nodeId: string,
  externalId: string,
): Promise<CheckoutModel | null> => (await select(knex).findOne({ node_id: nodeId, external_id: externalId })) ?? null;

/** True when a checkout of that id exists, of any node. */
export const isCheckout = async (knex: Knex, id: string): Promise<boolean> =>
  (await knex('checkouts').where({ id }).first('id')) !== undefined;

/** Filters of a list of checkouts. */
export interface CheckoutFilter extends NodeFilter, CreatedFilter {
  readonly externalId?: string | undefined;
  readonly status?: CheckoutStatus | undefined;
}

const matching = (
  query: BaseQueryBuilder<CheckoutModel>,
  { externalId, status, createdFrom, createdTo }: CheckoutFilter,
): BaseQueryBuilder<CheckoutModel> =>
  query.matching({ external_id: externalId, status }).createdWithin({ createdFrom, createdTo });

/** The checkouts of one node, or with all below it, newest first. */
export const listCheckouts = (
  knex: Knex,
  filter: CheckoutFilter,
  request: PageRequest,
  countAll: CountAll,
): Promise<Page<CheckoutModel>> => {
  const { nodeId, includeDescendants, ...conditions } = filter;
  const ofBranch = matching(CheckoutModel.query(knex).whereColumn('checkouts.node_id', 'branch.id'), filter);
  const branches = includeDescendants ? { rootId: nodeId, ofBranch } : undefined;
  const isWhole = Object.values(conditions).every((value) => value === undefined);
  const countMatching = branches && (() => countOfBranches(knex, branches));
  const count = isWhole ? () => countAll({ nodeId, includeDescendants }) : countMatching;
  return fetchPage(matching(select(knex).ofNode(filter), filter), request, { branches, count });
};

/** The names that the page of a checkout shows, and the time until which a former choice may still be paid. */
export interface CheckoutPlaces {
  readonly merchant: MerchantRow;
  readonly networks: readonly { readonly id: string; readonly name: string }[];
  /** When the last offer of the former choices that was revealed is over at the latest; null if unknown or nothing waits. */
  readonly former_open_until: Date | null;
  readonly now: Date;
}

export const readPlaces = (knex: Knex, checkoutId: string): Promise<CheckoutPlaces> =>
  rowOf<CheckoutPlaces>(knex, { id: checkoutId })(`
     SELECT (SELECT ${merchantColumn} FROM checkouts c JOIN nodes n ON n.id = c.node_id WHERE c.id = :id) AS merchant,
       (SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('id', n.id, 'name', n.name)), '[]') FROM checkout_options o
         JOIN networks n ON n.id = o.network_id WHERE o.checkout_id = :id) AS networks,
       (SELECT CASE WHEN bool_and(p.deal_mode = 'offered' AND p.status = 'canceling' AND p.deal_block_number IS NULL)
           AND EXISTS (SELECT 1 FROM payments b WHERE b.checkout_id = :id AND b.is_blocked AND b.terminal_at IS NULL)
           -- the chain must be past the end of the offer, with its confirmations
           THEN max(least(to_timestamp(coalesce(e.revealed_until, 0)) + n.confirmations * n.block_time_ms * interval '1 millisecond', p.expires_at)) END
         FROM payments p JOIN networks n ON n.id = p.network_id LEFT JOIN offer_ends e ON e.payment_id = p.id
         WHERE p.checkout_id = :id AND NOT p.is_blocked AND p.terminal_at IS NULL) AS former_open_until,
       clock_timestamp() AS now`);
