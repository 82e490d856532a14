import type { Knex } from 'knex';
import type { MemberFields } from '../../domain/member.ts';
import type { PaymentFacts } from '../../domain/payment-facts.ts';
import type { DealMode, ActorType, LogEventType, LogNoteType } from '../../domain/payment.ts';
import { createBatch } from '../../domain/tools/batch.ts';
import { modelOf, BaseModel } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { prepared, type Statement } from '../query/statements.ts';
import { itemsOf } from '../webhooks/events.ts';

/** A member inside a payment, as PostgreSQL writes a row as JSON: timestamps are text. */
export interface MemberRecord extends MemberFields {
  readonly id: string;
  readonly node_id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A payment with its items and its member. Numeric and bigint columns are decimal text, addresses lower-case hex. */
export class PaymentModel extends modelOf<PaymentFacts>() {
  static override readonly tableName = 'payments';

  declare client_ip: string | null;
  declare expires_unix: string;
  declare sequence: number;
  declare deal_mode: DealMode;
  declare token_address: string | null;
  declare terms_hash: string | null;
  /** The checkout whose buyer chose it; null for a payment that a merchant created. */
  declare checkout_id: string | null;
  /** Number of the choice, counted from 1, and its option, counted from 0. */
  declare choice: number | null;
  declare option_index: number | null;
  /** True while a former choice of the checkout may still be paid: nothing of the payment is sent or offered. */
  declare is_blocked: boolean;
  declare member: MemberRecord | null;
}

/** The columns of a payment with its items and its member. */
export type PaymentRecord = Omit<PaymentModel, keyof BaseModel>;

/**
 * The columns that statements read of a payment. A prepared `*` would fail when a migration adds a column while a process
 * runs.
 */
const paymentColumns = [
  'id',
  'node_id',
  'external_id',
  'chain_id',
  'network_id',
  'wallet_id',
  'member_id',
  'currency_id',
  'decimals',
  'price_units',
  'paid_price_units',
  'payment_method',
  'payment_group',
  'payment_address',
  'metadata',
  'client_ip',
  'success_url',
  'cancel_url',
  'locale',
  'retry',
  'retry_count',
  'expires_at',
  'expires_unix',
  'status',
  'status_detail',
  'sequence',
  'deal_mode',
  'deal_id',
  'diamond_address',
  'token_address',
  'terms_hash',
  'deal_tx_hash',
  'paid_tx_hash',
  'paid_at',
  'payer_address',
  'terminal_at',
  'created_at',
  'updated_at',
  'checkout_id',
  'choice',
  'option_index',
  'is_blocked',
] as const satisfies (keyof PaymentRecord)[];

const columnsOf = (payment: string): string => paymentColumns.map((column) => `${payment}.${column}`).join(', ');

const memberOf = (payment: string): string =>
  `(SELECT to_jsonb(m) FROM members m WHERE m.id = ${payment}.member_id) AS member`;

const currencyAndChainOf = (payment: string): string =>
  `(SELECT c.symbol FROM currencies c WHERE c.id = ${payment}.currency_id) AS currency_symbol,
   (SELECT n.eip155 FROM networks n WHERE n.id = ${payment}.network_id) AS eip155`;

/** SQL of a payment's columns, by the table's name or alias. */
export const paymentRow = (payment: string): string => `${columnsOf(payment)}, ${currencyAndChainOf(payment)}`;

/** The same, with its items and its member. */
export const paymentSelect = (payment: string): string =>
  [paymentRow(payment), `${itemsOf(`${payment}.id`)} AS items`, memberOf(payment)].join(', ');

const findStatement: Statement = {
  name: 'find_payments',
  // The limit makes the planner look up each payment by key, however small the table was at planning.
  text: `SELECT wanted.position::int, p.*
    FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted (id, scope_id, position)
    CROSS JOIN LATERAL (
      SELECT ${paymentSelect('o')} FROM payments o JOIN nodes n ON n.id = o.node_id
      WHERE o.id = wanted.id AND wanted.scope_id = ANY (n.path) LIMIT 1
    ) p`,
};

/** A payment that a caller asks for. */
export interface WantedPayment {
  readonly id: string;
  /** The node of the caller. */
  readonly scopeId: string;
}

/**
 * Payments in the order of the request; null for each that is not of its `scopeId` or of a node below it, whether it exists
 * or not.
 */
const findPayments = async (knex: Knex, wanted: readonly WantedPayment[]): Promise<(PaymentModel | null)[]> => {
  const values = [wanted.map(({ id }) => id), wanted.map(({ scopeId }) => scopeId)];
  const rows = await prepared<PaymentModel & { position: number }>(knex, findStatement, values);
  const found = new Map(rows.map((row) => [row.position, row]));
  return wanted.map((_, index) => found.get(index + 1) ?? null);
};

/** One payment, by the same rule. */
export const findPayment = async (knex: Knex, scopeId: string, id: string): Promise<PaymentModel | null> => {
  const [payment] = await findPayments(knex, [{ id, scopeId }]);
  return payment ?? null;
};

/** The same, locked until the transaction ends. The row is read after the wait for the lock. */
export const lockPayment = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<PaymentModel | null> => {
  // A payment out of reach must not be locked.
  if ((await findPayment(trx, scopeId, id)) === null) return null;
  await trx.raw('SELECT FROM payments WHERE id = ? FOR NO KEY UPDATE', [id]);
  return findPayment(trx, scopeId, id);
};

/** True when a payment of that id exists, of any node. */
export const isPayment = async (knex: Knex, id: string): Promise<boolean> =>
  (await knex('payments').where({ id }).first('id')) !== undefined;

/** Most payments of one statement: more would make the first wait for the last. */
const MAX_TOGETHER = 64;

/** Reads payments one by one for its callers; requests of one turn of the event loop share a statement. */
export const createPaymentReader = (knex: Knex): ((wanted: WantedPayment) => Promise<PaymentModel | null>) =>
  createBatch({ run: (wanted: readonly WantedPayment[]) => findPayments(knex, wanted), maxItems: MAX_TOGETHER });

/**
 * SQL: true unless an integration outside the reader's scope made the entry. The node of an outside token is only in the
 * audit log, in the entry of the same transaction: the nearest in time, because the payment is locked meanwhile. A replayed answer takes no
 * lock. Such actors contain a `#`, so no id of an integration equals one.
 */
const actorInReach = `CASE
    WHEN actor_type <> 'integration' THEN true
    WHEN actor_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN EXISTS (
      SELECT 1 FROM integrations i JOIN nodes n ON n.id = i.node_id WHERE i.id = actor_id::uuid AND ?::uuid = ANY (n.path))
    ELSE coalesce((
      SELECT ?::uuid = ANY (n.path) FROM audit_log a JOIN nodes n ON n.id = a.actor_node_id
      WHERE a.resource_id = payment_id AND a.actor_id = payment_logs.actor_id AND a.action <> 'answer.replayed'
      ORDER BY abs(extract(epoch FROM a.created_at - payment_logs.created_at)) LIMIT 1), false)
  END AS actor_in_reach`;

/** An entry in the log of a payment. */
export class PaymentLogModel extends BaseModel {
  static override readonly tableName = 'payment_logs';

  declare id: string;
  declare payment_id: string;
  /** Null for entries that are no transition. */
  declare sequence: number | null;
  declare event_type: LogEventType | LogNoteType;
  /** Null where type and data say everything. */
  declare message: string | null;
  declare actor_type: ActorType;
  declare actor_id: string | null;
  declare data: Record<string, unknown>;
  declare created_at: Date;
  /** Selected beside the columns: false for an integration that is hidden from the reader. */
  declare actor_in_reach: boolean;
}

/**
 * Transitions, waiting states, and transactions; a transaction is stored once for all payments of its slot. `place` orders
 * entries of the same moment: the transition that ends a wait comes after it.
 */
const entries = `(
  SELECT *, row_number() OVER (ORDER BY created_at, event_type <> 'waiting_ended', sequence, id)::int AS place FROM (
    SELECT id, payment_id, sequence, event_type, message, actor_type, actor_id, data, created_at
    FROM payment_logs WHERE payment_id = :payment_id
    UNION ALL
    SELECT id, payment_id, NULL, event_type, NULL, 'system', NULL, jsonb_build_object('reason', reason), created_at
    FROM payment_waits WHERE payment_id = :payment_id
    UNION ALL
    SELECT l.id, i.payment_id, NULL, l.event_type, NULL,
      CASE WHEN l.event_type IN ('transaction_sent', 'transaction_bumped') THEN 'system' ELSE 'chain' END, NULL,
      l.data || jsonb_build_object('purpose', i.purpose), l.created_at
    FROM tx_intents i JOIN tx_slot_logs l ON l.slot_id = i.slot_id WHERE i.payment_id = :payment_id
  ) entry
) AS payment_logs`;

/** The log of a payment, newest first. Actors outside the reader's scope are hidden. */
export const listPaymentLogs = (
  knex: Knex,
  scopeId: string,
  paymentId: string,
  request: PageRequest,
): Promise<Page<PaymentLogModel>> => {
  const query = PaymentLogModel.query(knex)
    .select('payment_logs.*', knex.raw(actorInReach, [scopeId, scopeId]))
    .from(knex.raw(entries, { payment_id: paymentId }) as never);
  return fetchPage(query, request, { tie: 'place' });
};
