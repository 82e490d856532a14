import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { DomainError } from '../domain/errors.ts';
import { startGroup } from '../domain/outbox.ts';
import { transitions, type PaymentGroup, type PaymentMethod } from '../domain/payment.ts';
import type { MemberFields, MemberRecord, PaymentItemRecord, PaymentModel } from './models/payment.ts';
import { paymentColumnsOf } from './payments.ts';
import { prepared, type Statement } from './prepared.ts';
import { isUniqueViolation } from './unique-violation.ts';

/** The deal of a web3 payment, but for its id. Addresses are lower-case hex. */
export interface NewDeal {
  readonly diamond: string;
  /** Null is the native coin. */
  readonly token: string | null;
  readonly termsHash: (dealId: bigint) => string;
}

export interface NewPayment {
  readonly nodeId: string;
  readonly externalId: string;
  readonly chainId: string;
  readonly networkId: string;
  readonly walletId: string | null;
  /** A stored member, one to be created or linked by its external_id, or none. */
  readonly member: { readonly stored: MemberRecord } | { readonly inline: MemberFields } | null;
  readonly currencyId: string;
  readonly decimals: number;
  readonly priceUnits: bigint;
  readonly paidPriceUnits: bigint;
  readonly method: PaymentMethod;
  readonly group: PaymentGroup;
  readonly paymentAddress: string;
  readonly items: readonly PaymentItemRecord[];
  readonly metadata: string | null;
  readonly clientIp: string | null;
  readonly retry: boolean;
  readonly retryCount: number;
  readonly expiresAt: Date;
  readonly expiresUnix: number;
  /** Null for methods that are not paid on a chain. */
  readonly deal: NewDeal | null;
  readonly integrationId: string;
}

const memberColumns = [
  ...['external_id', 'name', 'surname', 'email', 'phone', 'identity_number', 'tax_office', 'tax_number', 'address'],
  ...['district', 'city', 'country', 'contact_name', 'locale'],
] as const satisfies (keyof MemberFields)[];

const FIRST_MEMBER_PARAMETER = 29;

/** Payment, items, first log entry and command are one statement: one round trip, one commit, nothing half-way. */
const text = (inlineMember: boolean): string => `
WITH ${
  inlineMember
    ? `member AS (
  INSERT INTO members (node_id, ${memberColumns.join(', ')})
  VALUES ($1, ${memberColumns.map((_, index) => `$${FIRST_MEMBER_PARAMETER + index}`).join(', ')})
  -- the update changes nothing; it is there to answer a row that exists, also one that is being written just now
  ON CONFLICT (node_id, external_id) WHERE deleted_at IS NULL DO UPDATE SET external_id = excluded.external_id
  RETURNING *
), `
    : ''
}waiting AS (
  -- locked, so that an activation that commits in between either is seen here or sees this payment
  SELECT 1 FROM diamonds WHERE wallet_id = $5::uuid AND network_id = $4::uuid AND status <> 'active' FOR SHARE
), payment AS (
  INSERT INTO payments (node_id, external_id, chain_id, network_id, wallet_id, member_id, currency_id, decimals,
    price_units, paid_price_units, payment_method, payment_group, payment_address, metadata, client_ip, retry,
    retry_count, expires_at, expires_unix, status_detail, deal_id, diamond_address, token_address, terms_hash,
    created_at, updated_at)
  SELECT $1::uuid, $2::text, $3::uuid, $4::uuid, $5::uuid, ${inlineMember ? '(SELECT id FROM member)' : '$29::uuid'},
    $6::uuid, $7::smallint, $8::numeric, $9::numeric, $10::text, $11::text, $12::text, $13::text, $14::text,
    $15::boolean, $16::integer, $17::timestamptz, $18::bigint,
    CASE WHEN $19::bigint IS NOT NULL AND (EXISTS (SELECT 1 FROM waiting) OR NOT EXISTS (
      SELECT 1 FROM diamonds WHERE wallet_id = $5::uuid AND network_id = $4::uuid)) THEN 'diamond_missing' END,
    $19::bigint, $20::text, $21::text, $22::text, clock.now, clock.now
  FROM (SELECT clock_timestamp() AS now) clock
  RETURNING *
), items AS (
  INSERT INTO payment_items (payment_id, position, name, price_units, external_id)
  SELECT p.id, i.position, i.name, i.price_units, i.external_id FROM payment p,
    unnest($23::text[], $24::numeric[], $25::text[]) WITH ORDINALITY AS i (name, price_units, external_id, position)
), logged AS (
  INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type, actor_id, created_at)
  SELECT id, 1, 'payment_created', status, $26::text, 'integration', $27::text, created_at FROM payment
), command AS (
  INSERT INTO outbox (topic, group_key, payment_id, payload)
  SELECT 'create_payment', $28::text, id, jsonb_build_object('payment_id', id, 'node_id', node_id,
    'wallet_id', wallet_id, 'network_id', network_id,
    'method', CASE WHEN payment_method = 'web3' THEN 'web3' ELSE 'offchain' END,
    'expires_at', to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) FROM payment
)
SELECT ${paymentColumnsOf('payment')}${inlineMember ? ', (SELECT to_jsonb(member) FROM member) AS member' : ''} FROM payment`;

const plain: Statement = { name: 'insert_payment', text: text(false) };
const withMember: Statement = { name: 'insert_payment_with_member', text: text(true) };

/** A random deal id of 53 bits, which no client can foresee and every JSON number can hold. */
const randomDealId = (): bigint => {
  const bytes = randomBytes(7);
  const id = bytes.readUIntBE(0, 6) * 32 + (bytes.readUInt8(6) & 31);
  return id === 0 ? randomDealId() : BigInt(id);
};

const values = (payment: NewPayment, dealId: bigint | null): unknown[] => [
  payment.nodeId,
  payment.externalId,
  payment.chainId,
  payment.networkId,
  payment.walletId,
  payment.currencyId,
  payment.decimals,
  payment.priceUnits.toString(),
  payment.paidPriceUnits.toString(),
  payment.method,
  payment.group,
  payment.paymentAddress,
  payment.metadata,
  payment.clientIp,
  payment.retry,
  payment.retryCount,
  payment.expiresAt,
  payment.expiresUnix,
  dealId?.toString() ?? null,
  payment.deal?.diamond ?? null,
  payment.deal?.token ?? null,
  dealId === null ? null : (payment.deal?.termsHash(dealId) ?? null),
  payment.items.map((item) => item.name),
  payment.items.map((item) => item.price_units),
  payment.items.map((item) => item.external_id),
  transitions.payment_created.message,
  payment.integrationId,
  startGroup(payment.networkId, payment.method),
];

/** The refusal of a payment whose external_id is taken. */
export const paymentExists = (existingId: string): DomainError =>
  new DomainError('payment_exists', 'The node has a payment with this external_id', {
    extra: { existing_id: existingId },
  });

/**
 * Stores a payment with its items, its first log entry and the command to start its workflow.
 * @throws DomainError payment_exists when the node has a payment of that external_id; nothing is stored then
 */
export const insertPayment = async (knex: Knex, payment: NewPayment): Promise<PaymentModel> => {
  const { member } = payment;
  const dealId = payment.deal === null ? null : randomDealId();
  const common = values(payment, dealId);
  try {
    const inline = member !== null && 'inline' in member ? member.inline : null;
    const stored = member !== null && 'stored' in member ? member.stored : null;
    const [row] =
      inline === null
        ? await prepared<PaymentModel>(knex, plain, [...common, stored?.id ?? null])
        : await prepared<PaymentModel>(knex, withMember, [...common, ...memberColumns.map((name) => inline[name])]);
    if (row === undefined) throw new Error('The insert of a payment answers one row');
    return Object.assign(row, { items: payment.items, member: inline === null ? stored : row.member });
  } catch (error) {
    // Two random ids of 2^53 met on one diamond.
    if (isUniqueViolation(error, 'payments_deal')) return insertPayment(knex, payment);
    if (!isUniqueViolation(error, 'payments_external_id')) throw error;
    const { nodeId, externalId } = payment;
    const existing = await knex('payments')
      .where({ node_id: nodeId, external_id: externalId })
      .first<{ id: string }>('id');
    throw paymentExists(existing.id);
  }
};
