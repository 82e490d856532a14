import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';
import {
  insertPayments,
  insertPaymentWithMember,
  type NewPayment,
  type PaymentEntry,
  type PaymentReceipt,
} from './insert.ts';
import { isUniqueViolation } from '../query/unique-violation.ts';

/** Stores payments, those that come at once in one commit. */
export interface PaymentWriter {
  /**
   * @returns false when nothing was stored because what the payment was judged by has changed meanwhile: judge it again
   * @throws DomainError payment_exists when the node has a payment of that external_id; nothing is stored then
   */
  insert(payment: NewPayment, receipt: PaymentReceipt): Promise<boolean>;
}

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

/** Stores one payment, or says what is in its way. */
const insertOne = async (knex: Knex, entry: PaymentEntry): Promise<boolean> => {
  const { record, createsMember } = entry.payment;
  const { id, node_id, external_id, member } = record;
  try {
    const isStored =
      createsMember && member !== null
        ? await insertPaymentWithMember(knex, entry, member)
        : (await insertPayments(knex, [entry])).has(id);
    if (!isStored) await refuseDuplicate(knex, node_id, external_id);
    return isStored;
  } catch (error) {
    if (passing.some((constraint) => isUniqueViolation(error, constraint))) return false;
    if (isUniqueViolation(error, 'payments_external_id')) await refuseDuplicate(knex, node_id, external_id);
    throw error;
  }
};

/** True when the database has undone a statement because of what was in it: integrity, values, or a deadlock. */
const isRefusal = (error: unknown): boolean => /^(22|23|40)/.test(String((error as { code?: unknown }).code));

interface Waiting {
  readonly entry: PaymentEntry;
  readonly settle: (isStored: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** Tells those who wait what became of their payments. */
type Tell = () => void;

/** Statements under way at once. More than one of them only when one takes long, as it does when a row is locked. */
const MAX_STATEMENTS = 4;
const LONG_MS = 10;
const MAX_BATCH = 32;

/**
 * A statement and its commit cost several times what one more payment in them costs. So a payment that finds one under way
 * waits for its end, though not for long, and goes with others in the next one; when requests are few nobody waits.
 * A payment that can not be stored keeps none of the others from it.
 */
export const createPaymentWriter = (knex: Knex): PaymentWriter => {
  const waiting: Waiting[] = [];
  let statements = 0;
  let latest = 0;
  let isPlanned = false;
  let late: NodeJS.Timeout | undefined;

  const alone = ({ entry, settle, fail }: Waiting): Promise<Tell> =>
    insertOne(knex, entry).then(
      (isStored) => () => settle(isStored),
      (error: unknown) => () => fail(error),
    );

  const together = async (batch: readonly Waiting[]): Promise<Tell> => {
    try {
      const stored = await insertPayments(
        knex,
        batch.map(({ entry }) => entry),
      );
      return () => {
        for (const { entry, settle, fail } of batch) {
          const { id, node_id, external_id } = entry.payment.record;
          if (stored.has(id)) settle(true);
          else refuseDuplicate(knex, node_id, external_id).then(() => settle(false), fail);
        }
      };
    } catch (error) {
      if (isRefusal(error)) for (const one of batch) (await alone(one))();
      else for (const { fail } of batch) fail(error);
      return () => {};
    }
  };

  const next = (first: Waiting): Promise<Tell> => {
    if (first.entry.payment.createsMember) return alone(waiting.shift()!);
    const others = waiting.findIndex(({ entry }) => entry.payment.createsMember);
    const half = Math.min(MAX_BATCH, Math.ceil((latest + waiting.length) / 2));
    const batch = waiting.splice(0, others === -1 ? half : Math.min(half, others));
    latest = batch.length;
    return batch.length === 1 ? alone(batch[0]!) : together(batch);
  };

  const begin = (): void => {
    isPlanned = false;
    clearTimeout(late);
    late = undefined;
    const [first] = waiting;
    if (first === undefined || statements === MAX_STATEMENTS) return;
    statements += 1;
    void next(first).then((tell) => {
      statements -= 1;
      // PostgreSQL has work again before these are answered.
      begin();
      tell();
    });
    plan();
  };

  /** All that has arrived by now goes along, also what is read from other connections before anything is sent. */
  const plan = (): void => {
    if (isPlanned || waiting.length === 0) return;
    if (statements === 0) {
      isPlanned = true;
      setImmediate(begin);
    } else {
      late ??= setTimeout(begin, LONG_MS);
    }
  };

  return {
    insert: (payment, receipt) =>
      new Promise((settle, fail) => {
        waiting.push({ entry: { payment, receipt }, settle, fail });
        plan();
      }),
  };
};
