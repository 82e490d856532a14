import type { Knex } from 'knex';
import type { Act, Answer } from '../domain/act.ts';
import { DomainError } from '../domain/errors.ts';
import { startGroup, type CreatePaymentCommand } from '../domain/outbox.ts';
import { transitions } from '../domain/payment.ts';
import type { MemberRecord, PaymentRecord } from './models/payment.ts';
import { prepared, type Statement } from './prepared.ts';
import { isUniqueViolation } from './unique-violation.ts';

/** A payment as it will be stored. What it was judged by (wallet, diamond, member) is looked at again when it is. */
export interface NewPayment {
  readonly record: PaymentRecord;
  /** The record's member is not stored yet. */
  readonly createsMember: boolean;
}

/** What is stored in the same commit. */
export interface PaymentReceipt {
  readonly act: Act;
  readonly answer: Answer;
  /** The payment for the audit log, without secrets. */
  readonly audited: object;
  /** Its member for the audit log, in case it is a new one. */
  readonly auditedMember: object | null;
}

const memberColumns = [
  ...['id', 'node_id', 'external_id', 'name', 'surname', 'email', 'phone', 'identity_number', 'tax_office'],
  ...['tax_number', 'address', 'district', 'city', 'country', 'contact_name', 'locale', 'created_at', 'updated_at'],
] as const satisfies (keyof MemberRecord)[];

const FIRST_MEMBER_PARAMETER = 43;

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
  SELECT $2::uuid, $32::text, $35::uuid, 'member.created', id, $${FIRST_MEMBER_PARAMETER + memberColumns.length}::jsonb,
    $37::text, $38::text FROM member
), `;

/**
 * Everything that a payment consists of is one statement: one round trip, one commit, nothing half-way. It stores
 * nothing when the wallet or its diamond is no longer what the payment was judged by.
 */
const text = (createsMember: boolean): string => `
WITH wallet AS (
  -- waits for whoever is changing the wallet, and then looks at what it has become
  SELECT 1 FROM wallets
  WHERE id = $6::uuid AND is_active AND deleted_at IS NULL AND address = coalesce($24::text, address) FOR KEY SHARE
), waiting AS (
  -- locked, so that an activation that commits in between either is seen here or sees this payment
  SELECT 1 FROM diamonds WHERE wallet_id = $6::uuid AND network_id = $5::uuid AND status <> 'active' FOR SHARE
), unchanged AS (
  SELECT WHERE ($6::uuid IS NULL OR EXISTS (SELECT 1 FROM wallet))
    AND ($22::text IS NULL OR EXISTS (SELECT 1 FROM waiting) OR NOT EXISTS (
      SELECT 1 FROM diamonds WHERE wallet_id = $6::uuid AND network_id = $5::uuid))
), ${createsMember ? memberInsert : ''}payment AS (
  INSERT INTO payments (id, node_id, external_id, chain_id, network_id, wallet_id, member_id, currency_id, decimals,
    price_units, paid_price_units, payment_method, payment_group, payment_address, metadata, client_ip, retry,
    retry_count, expires_at, expires_unix, status, status_detail, deal_id, diamond_address, token_address, terms_hash,
    created_at, updated_at)
  SELECT $1::uuid, $2::uuid, $3::text, $4::uuid, $5::uuid, $6::uuid, $7::uuid, $8::uuid, $9::smallint, $10::numeric,
    $11::numeric, $12::text, $13::text, $14::text, $15::text, $16::text, $17::boolean, $18::integer, $19::timestamptz,
    $20::bigint, $21::text, $22::text, $23::bigint, $24::text, $25::text, $26::text, $27::timestamptz, $27::timestamptz
  FROM unchanged
  RETURNING id
), items AS (
  INSERT INTO payment_items (payment_id, position, name, price_units, external_id)
  SELECT p.id, i.position, i.name, i.price_units, i.external_id FROM payment p,
    unnest($28::text[], $29::numeric[], $30::text[]) WITH ORDINALITY AS i (name, price_units, external_id, position)
), logged AS (
  INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type, actor_id, created_at)
  SELECT id, 1, 'payment_created', $21::text, $31::text, 'integration', $32::text, $27::timestamptz FROM payment
), command AS (
  INSERT INTO outbox (topic, group_key, payment_id, payload)
  SELECT 'create_payment', $33::text, id, $34::jsonb FROM payment
), audited AS (
  INSERT INTO audit_log (node_id, actor_id, actor_node_id, action, resource_id, after, address, request_id)
  SELECT $2::uuid, $32::text, $35::uuid, 'payment.created', id, $36::jsonb, $37::text, $38::text FROM payment
), answered AS (
  INSERT INTO idempotency_keys (actor_id, target, key, request_hash, status, sealed_answer, payment_id)
  SELECT $32::text, $39::text, $40::text, $41::bytea, 201, $42::bytea, id FROM payment WHERE $40::text IS NOT NULL
)
SELECT id FROM payment`;

const plain: Statement = { name: 'insert_payment', text: text(false) };
const withMember: Statement = { name: 'insert_payment_with_member', text: text(true) };

const commandOf = (record: PaymentRecord): CreatePaymentCommand => ({
  payment_id: record.id,
  node_id: record.node_id,
  wallet_id: record.wallet_id,
  network_id: record.network_id,
  method: record.payment_method === 'web3' ? 'web3' : 'offchain',
  expires_at: record.expires_at.toISOString(),
});

const paymentValues = (record: PaymentRecord): unknown[] => [
  record.id,
  record.node_id,
  record.external_id,
  record.chain_id,
  record.network_id,
  record.wallet_id,
  record.member_id,
  record.currency_id,
  record.decimals,
  record.price_units,
  record.paid_price_units,
  record.payment_method,
  record.payment_group,
  record.payment_address,
  record.metadata,
  record.client_ip,
  record.retry,
  record.retry_count,
  record.expires_at,
  record.expires_unix,
  record.status,
  record.status_detail,
  record.deal_id,
  record.diamond_address,
  record.token_address,
  record.terms_hash,
  record.created_at,
];

const values = ({ record }: NewPayment, { act, answer, audited }: PaymentReceipt): unknown[] => [
  ...paymentValues(record),
  record.items.map((item) => item.name),
  record.items.map((item) => item.price_units),
  record.items.map((item) => item.external_id),
  transitions.payment_created.message,
  act.actorId,
  startGroup(record.network_id, record.payment_method),
  JSON.stringify(commandOf(record)),
  act.actorNodeId,
  JSON.stringify(audited),
  act.address,
  act.requestId,
  act.idempotency?.target ?? null,
  act.idempotency?.key ?? null,
  act.idempotency?.requestHash ?? null,
  act.idempotency?.seal(JSON.stringify(answer.body)) ?? null,
];

/**
 * Asked only when something else stands in the way of a payment, because its unique index refuses a duplicate anyway.
 * @throws DomainError payment_exists when the external_id is taken
 */
export const refuseDuplicate = async (knex: Knex, nodeId: string, externalId: string): Promise<void> => {
  const existing = await knex('payments')
    .where({ node_id: nodeId, external_id: externalId })
    .first<{ id: string } | undefined>('id');
  if (existing === undefined) return;
  throw new DomainError('payment_exists', 'The node has a payment with this external_id', {
    extra: { existing_id: existing.id },
  });
};

/** Constraints that a payment made anew, from what there is now, does not meet again. */
const passing = ['payments_deal', 'members_external_id'];

/**
 * Stores a payment with its items, its first log entry, the command to start its workflow, its entry in the audit log
 * and the answer to its idempotency key.
 * @returns false when nothing was stored because what the payment was judged by has changed meanwhile: judge it again
 * @throws DomainError payment_exists when the node has a payment of that external_id; nothing is stored then
 */
export const insertPayment = async (knex: Knex, payment: NewPayment, receipt: PaymentReceipt): Promise<boolean> => {
  const { record, createsMember } = payment;
  const common = values(payment, receipt);
  try {
    const { member } = record;
    const rows =
      createsMember && member !== null
        ? await prepared(knex, withMember, [
            ...common,
            ...memberColumns.map((column) => member[column]),
            JSON.stringify(receipt.auditedMember),
          ])
        : await prepared(knex, plain, common);
    return rows.length === 1;
  } catch (error) {
    if (passing.some((constraint) => isUniqueViolation(error, constraint))) return false;
    if (!isUniqueViolation(error, 'payments_external_id')) throw error;
    await refuseDuplicate(knex, record.node_id, record.external_id);
    throw error;
  }
};
