import type { Knex } from 'knex';
import { countOpenPayments } from '../../db/payments/quota.ts';
import { createSingleFlight } from '../../domain/single-flight.ts';

/** Tells whether a node has as many open payments as it may. */
export interface PaymentQuota {
  isFull(nodeId: string): Promise<boolean>;
  /** Tells of a payment that this process has stored. */
  created(nodeId: string): void;
}

export interface PaymentQuotaDeps {
  readonly knex: Knex;
  readonly max: number;
  readonly now?: () => number;
}

const MAX_AGE_MS = 1_000;
const MAX_REMEMBERED = 10_000;
/** Above this share of the limit every request counts. */
const NEAR = 0.9;

/**
 * Counting thousands of open payments for each new one would cost more than storing it. So a count is remembered for a
 * second, with what this process has added since; near the limit it is always made anew.
 */
export const createPaymentQuota = ({ knex, max, now = Date.now }: PaymentQuotaDeps): PaymentQuota => {
  const remembered = new Map<string, { open: number; countedAt: number }>();

  const countNow = async (nodeId: string): Promise<number> => {
    const countedAt = now();
    const open = await countOpenPayments(knex, nodeId, max);
    remembered.delete(nodeId);
    remembered.set(nodeId, { open, countedAt });
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return open;
  };
  const count = createSingleFlight(countNow, { late: 'next' });

  return {
    isFull: async (nodeId) => {
      const known = remembered.get(nodeId);
      if (known === undefined || known.open >= max * NEAR) return (await count(nodeId)) >= max;
      // Far from the limit nobody waits for the new count.
      if (now() - known.countedAt >= MAX_AGE_MS) count(nodeId).catch(() => {});
      return false;
    },
    created: (nodeId) => {
      const known = remembered.get(nodeId);
      if (known !== undefined) known.open += 1;
    },
  };
};
