import type { Knex } from 'knex';
import type { AuditContext } from '../../domain/audit.ts';
import { optionalMemberFields } from '../../domain/member.ts';
import { transitions } from '../../domain/payment.ts';
import { startGroup, type CreatePaymentCommand } from '../../domain/ports/outbox.ts';
import { countMoves } from './transition.ts';
import { dealModeOf } from '../intents/deals.ts';
import { startDelay } from '../outbox/commands.ts';
import { nextEnd } from '../intents/conditions.ts';
import { prepared, type Statement } from '../query/statements.ts';
import { eventColumns, eventStatements, wakeSender } from '../webhooks/events.ts';
import type { MemberRecord, PaymentRecord } from './read.ts';

/** A payment to store, with all its parts. The insert checks wallet, diamond and member again. */
export interface NewPayment {
  readonly record: PaymentRecord;
  /** True when the record's member must be stored, too. */
  readonly createsMember: boolean;
  /** Of a buyer who chooses an option of a checkout, it has no actor. */
  readonly audit: Omit<AuditContext, 'actorId'> & { readonly actorId: string | null };
  /** The answer to the client, stored for the idempotency key. */
  readonly answer: object;
  /** Payment and member for the audit log, without secrets. */
  readonly audited: { readonly payment: object; readonly member: object | null };
}

const commandOf = (record: PaymentRecord): CreatePaymentCommand => ({
  payment_id: record.id,
  node_id: record.node_id,
  wallet_id: record.wallet_id,
  network_id: record.network_id,
  method: record.payment_method === 'web3' ? 'web3' : 'offchain',
  expires_at: record.expires_at.toISOString(),
});

type Column = readonly [name: string, type: string, value: (payment: NewPayment) => unknown];

/** Bytes as PostgreSQL's text form of bytea. */
const bytea = (bytes: Uint8Array | undefined): string | null =>
  bytes === undefined ? null : `\\x${Buffer.from(bytes).toString('hex')}`;

const own = (type: string, ...names: (keyof PaymentRecord)[]): Column[] =>
  names.map((name) => [name, type, ({ record }) => record[name]]);

const paymentColumns: readonly Column[] = [
  ...own('uuid', 'id', 'node_id', 'chain_id', 'network_id', 'wallet_id', 'member_id', 'currency_id', 'checkout_id'),
  ...own('text', 'external_id', 'payment_method', 'payment_group', 'payment_address', 'metadata', 'client_ip'),
  ...own('text', 'success_url', 'cancel_url', 'locale'),
  ...own('text', 'status', 'status_detail', 'deal_mode', 'diamond_address', 'token_address', 'terms_hash'),
  ...own('smallint', 'decimals', 'choice', 'option_index'),
  ...own('numeric', 'price_units', 'paid_price_units'),
  ...own('boolean', 'retry', 'is_blocked'),
  ...own('integer', 'retry_count'),
  ...own('bigint', 'expires_unix', 'deal_id'),
  ...own('timestamptz', 'expires_at', 'created_at'),
];

const columns: readonly Column[] = [
  ...paymentColumns,
  ['group_key', 'text', ({ record }) => startGroup(record.network_id, record.payment_method)],
  ['command', 'jsonb', ({ record }) => commandOf(record)],
  ['actor_id', 'text', ({ audit }) => audit.actorId],
  ['actor_node_id', 'uuid', ({ audit }) => audit.actorNodeId],
  ['audited', 'jsonb', ({ audited }) => audited.payment],
  ['address', 'text', ({ audit }) => audit.address],
  ['request_id', 'text', ({ audit }) => audit.requestId],
  ['target', 'text', ({ audit }) => audit.idempotency?.target ?? null],
  ['key', 'text', ({ audit }) => audit.idempotency?.key ?? null],
  ['request_hash', 'bytea', ({ audit }) => bytea(audit.idempotency?.requestHash)],
  ['encrypted_answer', 'bytea', ({ audit, answer }) => bytea(audit.idempotency?.encrypt(JSON.stringify(answer)))],
];

/** The columns of a new member. */
export const memberColumns = [
  'id',
  'node_id',
  'external_id',
  'name',
  ...optionalMemberFields,
  'created_at',
  'updated_at',
] as const satisfies (keyof MemberRecord)[];

const FIRST_MEMBER_PARAMETER = 4;

const memberInsert = `member AS (
  INSERT INTO members (${memberColumns.join(', ')})
  SELECT ${memberColumns
    .map((column, index) => {
      const type =
        column.endsWith('id') && column !== 'external_id' ? 'uuid' : column.endsWith('_at') ? 'timestamptz' : 'text';
      return `$${FIRST_MEMBER_PARAMETER + index}::${type}`;
    })
    .join(', ')}
  FROM unchanged
  RETURNING id
), member_audited AS (
  INSERT INTO audit_log (node_id, actor_id, actor_node_id, action, resource_id, after, address, request_id)
  SELECT u.node_id, u.actor_id, u.actor_node_id, 'member.created', m.id,
    $${FIRST_MEMBER_PARAMETER + memberColumns.length}::jsonb, u.address, u.request_id FROM member m, unchanged u
), `;

const paymentNames = paymentColumns.map(([name]) => name).join(', ');

/**
 * One statement stores everything: one round trip, one commit. It skips payments whose wallet, deal mode or diamond has changed since
 * they were judged, and payments whose external_id is taken. It locks payments, wallets and diamonds in one order, so that
 * two such statements cannot deadlock.
 */
const text = (createsMember: boolean): string => `
WITH given AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS given (${columns.map(([name, type]) => `${name} ${type}`).join(', ')})
), wallet AS MATERIALIZED (
  -- waits for changes of a wallet and then reads the changed row
  SELECT id, address, deal_modes FROM wallets
  WHERE id IN (SELECT wallet_id FROM given) AND is_active AND deleted_at IS NULL ORDER BY id FOR KEY SHARE
), waiting AS MATERIALIZED (
  -- locked, so that an activation that commits meanwhile is either seen here or sees the payment
  SELECT wallet_id, network_id FROM diamonds
  WHERE (wallet_id, network_id) IN (SELECT wallet_id, network_id FROM given WHERE status_detail = 'diamond_missing')
    AND status <> 'active' ORDER BY wallet_id, network_id FOR SHARE
), unchanged AS MATERIALIZED (
  SELECT * FROM given g
  WHERE (g.wallet_id IS NULL
      OR EXISTS (SELECT 1 FROM wallet w WHERE w.id = g.wallet_id AND w.address = coalesce(g.diamond_address, w.address)
        AND (g.deal_mode = 'created' OR ${dealModeOf('w', 'g.network_id')} = 'offered')))
    AND (g.status_detail IS DISTINCT FROM 'diamond_missing'
      OR EXISTS (SELECT 1 FROM waiting w WHERE w.wallet_id = g.wallet_id AND w.network_id = g.network_id)
      OR NOT EXISTS (SELECT 1 FROM diamonds d WHERE d.wallet_id = g.wallet_id AND d.network_id = g.network_id))
), ${createsMember ? memberInsert : ''}payment AS (
  INSERT INTO payments (${paymentNames}, updated_at)
  SELECT ${paymentNames}, created_at FROM unchanged ORDER BY node_id, external_id
  ${createsMember ? '' : 'ON CONFLICT (node_id, external_id) DO NOTHING'}
  RETURNING ${eventColumns.join(', ')}
), stored AS MATERIALIZED (
  SELECT u.* FROM unchanged u JOIN payment p ON p.id = u.id
), items AS (
  INSERT INTO payment_items (payment_id, position, name, price_units, external_id)
  SELECT i.* FROM json_to_recordset($2::json)
    AS i (payment_id uuid, position integer, name text, price_units numeric, external_id text)
  JOIN stored s ON s.id = i.payment_id
), ends AS (
  INSERT INTO offer_ends (payment_id, network_id, wanted_until)
  SELECT id, network_id, least(expires_unix, ${nextEnd}) FROM stored WHERE deal_mode = 'offered' AND NOT is_blocked
), logged AS (
  INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type, actor_id, created_at)
  SELECT id, 1, '${transitions.payment_created.log}', status, $3::text, CASE WHEN checkout_id IS NULL THEN 'integration' ELSE 'buyer' END,
    actor_id, created_at FROM stored
), command AS (
  INSERT INTO outbox (topic, group_key, payment_id, payload, next_attempt_at)
  SELECT 'create_payment', group_key, id, command, clock_timestamp() + ${startDelay} FROM stored
  WHERE NOT is_blocked
), audit AS (
  INSERT INTO audit_log (node_id, actor_id, actor_node_id, action, resource_id, after, address, request_id)
  SELECT node_id, actor_id, actor_node_id, 'payment.created', id, audited, address, request_id FROM stored
  -- the log of the payment tells of a buyer who chose it
  WHERE checkout_id IS NULL
), answered AS (
  INSERT INTO idempotency_keys (actor_id, target, key, request_hash, status, encrypted_answer, payment_id)
  SELECT actor_id, target, key, request_hash, 201, encrypted_answer, id FROM stored WHERE key IS NOT NULL
), ${eventStatements('payment', transitions.payment_created.webhook)}
SELECT id, ${wakeSender}, (SELECT pg_notify('carat_offers', s.network_id::text) FROM stored s
  WHERE s.id = payment.id AND s.deal_mode = 'offered' AND NOT s.is_blocked) FROM payment`;

const plain: Statement = { name: 'insert_payments', text: text(false) };
const withMember: Statement = { name: 'insert_payment_with_member', text: text(true) };

const rowOf = (payment: NewPayment): object =>
  Object.fromEntries(columns.map(([name, , value]) => [name, value(payment)]));

const itemsOf = ({ record }: NewPayment): object[] =>
  record.items.map((item, index) => ({ payment_id: record.id, position: index + 1, ...item }));

const values = (payments: readonly NewPayment[]): string[] => [
  JSON.stringify(payments.map(rowOf)),
  JSON.stringify(payments.flatMap(itemsOf)),
  transitions.payment_created.message,
];

/**
 * Stores payments in one statement, each with its items, first log entry, workflow command, webhook events, audit entry and
 * idempotent answer. Fails as a whole when one idempotency key is taken.
 * @returns ids of the stored payments; the others are duplicates, or rows that they were checked against have changed
 */
export const insertPayments = async (knex: Knex, payments: readonly NewPayment[]): Promise<ReadonlySet<string>> => {
  const rows = await prepared<{ id: string }>(knex, plain, values(payments));
  const stored = new Set(rows.map((row) => row.id));
  countNew(
    knex,
    payments.filter(({ record }) => stored.has(record.id)),
  );
  return stored;
};

const countNew = (knex: Knex, payments: readonly NewPayment[]): void =>
  countMoves(
    knex,
    'payment_created',
    payments.map(({ record }) => ({ ...record, created: 0, changed: 0 })),
  );

/**
 * The same for one payment with a new member.
 * @returns false when rows that it was checked against have changed
 */
export const insertPaymentWithMember = async (knex: Knex, payment: NewPayment): Promise<boolean> => {
  const rows = await prepared(knex, withMember, [
    ...values([payment]),
    ...memberColumns.map((column) => payment.record.member?.[column]),
    JSON.stringify(payment.audited.member),
  ]);
  if (rows.length === 1) countNew(knex, [payment]);
  return rows.length === 1;
};
