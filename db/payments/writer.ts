import type { Knex } from 'knex';
import { DomainError, type DomainErrorDetails } from '../../domain/errors.ts';
import { toDecimalText } from '../../domain/money.ts';
import { createBatch } from '../../domain/tools/batch.ts';
import { againAfterDeadlock, isCheckViolation, isUniqueViolation } from '../query/errors.ts';
import { prepared, type Statement } from '../query/statements.ts';
import { itemsOf } from '../webhooks/events.ts';
import { insertPayments, insertPaymentWithMember, type NewPayment } from './insert.ts';
import type { PaymentRecord } from './read.ts';

/**
 * The terms that a repeated order must share with the payment: amount, currency, network, payee, items, metadata, and the
 * links that lead the buyer back.
 */
type PaymentTerms = Pick<
  PaymentRecord,
  | 'network_id'
  | 'currency_id'
  | 'decimals'
  | 'price_units'
  | 'paid_price_units'
  | 'payment_method'
  | 'payment_address'
  | 'items'
  | 'metadata'
  | 'success_url'
  | 'cancel_url'
>;

/** Each term as text. An amount is compared by value, because decimals belong to the currency on a network. */
const termsOf = (payment: PaymentTerms): Readonly<Record<string, string | null>> => {
  const amount = (units: string): string => toDecimalText(BigInt(units), payment.decimals);
  return {
    network_id: payment.network_id,
    currency_id: payment.currency_id,
    price: amount(payment.price_units),
    paid_price: amount(payment.paid_price_units),
    payment_method: payment.payment_method,
    payment_address: payment.payment_address,
    items: JSON.stringify(payment.items.map((item) => [item.name, amount(item.price_units), item.external_id])),
    metadata: payment.metadata,
    success_url: payment.success_url,
    cancel_url: payment.cancel_url,
  };
};

type Terms = ReturnType<typeof termsOf>;

/**
 * Refuses a repeated order, by the fields in which its terms differ from the stored ones. Fields that a retry computes anew
 * (`expires_at`), that the service fills in (the wallet), or that do not concern the deal (buyer, group, retries, the language of the
 * page) are no terms.
 * @throws DomainError
 */
export const refuseRepeated = (
  code: 'payment_exists' | 'checkout_exists',
  existingId: string,
  asked: Terms,
  stored: Terms,
): never => {
  const what = code === 'payment_exists' ? 'payment' : 'order';
  const errors = Object.entries(asked)
    .filter(([field, text]) => field in stored && text !== stored[field])
    .map(([field]) => ({ path: `/body/${field}`, message: `must equal that of the existing ${what}` }));
  const known = `The node already has ${what === 'order' ? 'an' : 'a'} ${what} with this external_id`;
  const extra = { existing_id: existingId };
  if (errors.length === 0) throw new DomainError(code, known, { extra });
  const refusal = (details: DomainErrorDetails): DomainError =>
    new DomainError(`${code}_with_other_terms`, `${known} and other terms`, { ...details, extra });
  throw refusal({ errors, without: { permission: 'payments.read', refusal: refusal({}) } });
};

const statement: Statement = {
  name: 'duplicate_payment',
  text: `SELECT p.id, p.network_id, p.currency_id, p.decimals, p.price_units, p.paid_price_units, p.payment_method,
      p.payment_address, p.metadata, p.success_url, p.cancel_url, ${itemsOf('p.id')} AS items
    FROM payments p WHERE p.node_id = $1 AND p.external_id = $2`,
};

/**
 * Called only when an insert failed, because the unique index rejects duplicates anyway.
 * @throws DomainError payment_exists when the node has a payment with that external_id; payment_exists_with_other_terms
 *   when its terms differ
 */
export const refuseDuplicate = async (knex: Knex, asked: PaymentRecord): Promise<void> => {
  const values = [asked.node_id, asked.external_id];
  const [existing] = await prepared<PaymentTerms & { readonly id: string }>(knex, statement, values);
  if (existing === undefined) return;
  refuseRepeated('payment_exists', existing.id, termsOf(asked), termsOf(existing));
};

const MAX_TOGETHER = 32;
/**
 * Milliseconds after which the next statement may start. Only a statement that waits for a lock takes longer, and it must
 * not hold up all payments of the process.
 */
const PATIENCE_MS = 10;
const MAX_STATEMENTS = 4;

/** True when the database rolled a statement back because of its content: integrity, values, or a deadlock. */
const isRefusal = (error: unknown): boolean => /^(22|23|40)/.test(String((error as { code?: unknown }).code));

/** Constraints that a second attempt passes, or that show a duplicate. */
const passing = ['payments_deal', 'members_external_id', 'payments_external_id'];

/**
 * Stores payments by one statement at a time. Payments that arrive during a statement share the next one; without load none
 * waits. A payment that cannot be stored does not keep others out (docs/decisions/0013).
 * @returns false for each payment that was not stored because rows that it was checked against have changed: check it
 *   again
 * @throws DomainError payment_exists or payment_exists_with_other_terms when the node has a payment of that external_id;
 *   nothing is stored then
 */
export const createPaymentWriter = (knex: Knex): ((payment: NewPayment) => Promise<boolean>) => {
  /** Answers null when the statement was rolled back because of one of its payments. */
  const storeTogether = createBatch({
    maxItems: MAX_TOGETHER,
    patienceMs: PATIENCE_MS,
    maxBatches: MAX_STATEMENTS,
    run: async (payments: readonly NewPayment[]): Promise<(boolean | null)[]> => {
      try {
        const stored = await insertPayments(knex, payments);
        return payments.map(({ record }) => stored.has(record.id));
      } catch (error) {
        if (payments.length === 1 || !isRefusal(error)) throw error;
        return payments.map(() => null);
      }
    },
  });

  /**
   * Payments with a new member, and payments whose shared statement was rolled back. Their number at once is bounded, so
   * that others get connections.
   */
  const storeAlone = createBatch({
    maxItems: 1,
    maxBatches: MAX_STATEMENTS,
    run: (payments: readonly NewPayment[]) => Promise.all(payments.map(storeOne)),
  });

  const storeOne = (payment: NewPayment): Promise<boolean> =>
    againAfterDeadlock(async () =>
      payment.createsMember
        ? insertPaymentWithMember(knex, payment)
        : (await insertPayments(knex, [payment])).has(payment.record.id),
    );

  const store = async (payment: NewPayment): Promise<boolean> =>
    (payment.createsMember ? null : await storeTogether(payment)) ?? storeAlone(payment);

  return async (payment) => {
    const isStored = await store(payment).catch((error: unknown) => {
      if (passing.some((constraint) => isUniqueViolation(error, constraint))) return false;
      // A payout lock was set after the payment was judged.
      if (isCheckViolation(error, 'payments_payout_lock')) return false;
      throw error;
    });
    if (!isStored) await refuseDuplicate(knex, payment.record);
    return isStored;
  };
};
