import type { Knex } from 'knex';
import { createBatch } from '../../domain/tools/batch.ts';
import { againAfterDeadlock } from '../query/deadlock.ts';
import { isCheckViolation, isUniqueViolation } from '../query/violations.ts';
import { refuseDuplicate } from './duplicate.ts';
import { insertPayments, insertPaymentWithMember, type NewPayment } from './insert.ts';

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
