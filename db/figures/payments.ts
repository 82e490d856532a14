import type { Knex } from 'knex';
import { openStatuses, type PaymentMethod, type PaymentStatus } from '../../domain/payment.ts';

/** Open payments that are alike. */
export interface OpenPayments {
  readonly network: string;
  readonly method: PaymentMethod;
  readonly status: PaymentStatus;
  /** Empty: none. */
  readonly detail: string;
  readonly count: number;
  /** Seconds since the last change of the one that has not changed for the longest time. */
  readonly oldest: number;
}

/**
 * Groups open payments by network, method, status and detail. All are read, 0.4 seconds for a million: the one that has waited for
 * the longest time may be any of them, and the order of a bound would take temporary files.
 */
export const readOpenPayments = async (knex: Knex): Promise<OpenPayments[]> => {
  const { rows } = await knex.raw<{ rows: OpenPayments[] }>(
    `SELECT n.name AS network, g.method, g.status, g.detail, g.count, g.oldest FROM (
       SELECT p.network_id, p.payment_method AS method, p.status, coalesce(p.status_detail, '') AS detail, count(*)::int AS count,
         greatest(0, extract(epoch FROM clock_timestamp() - min(p.updated_at)))::double precision AS oldest
       FROM payments p WHERE p.status IN (${openStatuses.map((status) => `'${status}'`).join(', ')})
       GROUP BY p.network_id, p.payment_method, p.status, p.status_detail) g
     JOIN networks n ON n.id = g.network_id`,
  );
  return rows;
};
