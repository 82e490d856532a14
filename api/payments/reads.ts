import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import type { PaymentModel } from '../../db/payments/model.ts';
import { findPayments, type WantedPayment } from '../../db/payments/payments.ts';

/** More would make the first of them wait for the last. */
const MAX_TOGETHER = 64;

/**
 * Reads payments one by one, as it seems: those that are asked for in the same turn of the event loop are one statement,
 * because its round trip costs several times what one more row does. Nothing is remembered.
 */
export const createPaymentReads = (knex: Knex): ((wanted: WantedPayment) => Promise<PaymentModel | null>) => {
  const loader = new DataLoader((wanted: readonly WantedPayment[]) => findPayments(knex, wanted), {
    cache: false,
    maxBatchSize: MAX_TOGETHER,
    batchScheduleFn: (send) => void setImmediate(send),
  });
  return (wanted) => loader.load(wanted);
};
