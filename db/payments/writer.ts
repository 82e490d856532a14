import type { Knex } from 'knex';
import { createBatch } from '../../domain/tools/batch.ts';
import { againAfterDeadlock } from '../query/deadlock.ts';
import { isCheckViolation, isUniqueViolation } from '../query/violations.ts';
import { refuseDuplicate } from './duplicate.ts';
import { insertPayments, insertPaymentWithMember, type NewPayment } from './insert.ts';

const MAX_TOGETHER = 32;
/** A statement takes longer only when it waits for a lock, and must not keep all payments of the process waiting then. */
const PATIENCE_MS = 10;
const MAX_STATEMENTS = 4;

/** True when the database has undone a statement because of what was in it: integrity, values, or a deadlock. */
const isRefusal = (error: unknown): boolean => /^(22|23|40)/.test(String((error as { code?: unknown }).code));

/** Constraints that a payment either meets when it is made anew from what there is now, or meets as a duplicate. */
const passing = ['payments_deal', 'members_external_id', 'payments_external_id'];

/**
 * Stores payments by one statement at a time: those that arrive while it is under way go along in the next one. When they
 * are few none waits. A payment that can not be stored keeps none of the others from it (docs/decisions/0013).
 * @returns of each payment false when nothing was stored because what it was judged by has changed meanwhile: judge it again
 * @throws DomainError payment_exists or payment_exists_with_other_terms when the node has a payment of that external_id;
 * nothing is stored then
 */
export const createPaymentWriter = (knex: Knex): ((payment: NewPayment) => Promise<boolean>) => {
  /** Null: the statement was undone, because of this payment or of another one that was in it. */
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

  /** Those with a new member, and those whose statement was undone; so many at once that others still get a connection. */
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
      // A lock was set since the payment was judged.
      if (isCheckViolation(error, 'payments_payout_lock')) return false;
      throw error;
    });
    if (!isStored) await refuseDuplicate(knex, payment.record);
    return isStored;
  };
};
