import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { openStatuses } from '../../domain/payment.ts';
import { createSingleFlight } from '../../domain/tools/single-flight.ts';
import { prepared, type Statement } from '../query/statements.ts';

const open = openStatuses.map((status) => `'${status}'`).join(', ');

const statement: Statement = {
  name: 'open_payments',
  // A checkout counts until its buyer chooses; from then on its payment does.
  text: `SELECT count(*)::integer AS count FROM (
      (SELECT 1 FROM payments WHERE node_id = $1 AND status IN (${open}) LIMIT $2)
      UNION ALL (SELECT 1 FROM checkouts WHERE node_id = $1 AND status = 'open' LIMIT $2)) AS open`,
};

/** Checks the limit of open payments and checkouts of a node. */
export interface PaymentQuota {
  isFull(nodeId: string): Promise<boolean>;
  /** Counts a payment or a checkout that this process has stored. */
  created(nodeId: string): void;
}

const MAX_AGE_MS = 1_000;
const MAX_REMEMBERED = 10_000;
/** Above this share of the limit, every request counts anew. */
const NEAR = 0.9;

/**
 * Counts open payments. Counting thousands for each new payment would cost more than storing it, so a count is kept for a
 * second, with the payments that this process has added since. Near the limit it always counts anew.
 * @param max open payments that a node may have; the count stops there
 */
export const createPaymentQuota = (knex: Knex, max: number): PaymentQuota => {
  const remembered = new LRUCache<string, { open: number; countedAt: number }>({ max: MAX_REMEMBERED });

  const countNow = async (nodeId: string): Promise<number> => {
    const countedAt = performance.now();
    const [row] = await prepared<{ count: number }>(knex, statement, [nodeId, max]);
    const known = { open: row?.count ?? 0, countedAt };
    remembered.set(nodeId, known);
    return known.open;
  };
  const count = createSingleFlight(countNow, { late: 'next' });

  return {
    isFull: async (nodeId) => {
      const known = remembered.get(nodeId);
      if (known === undefined || known.open >= max * NEAR) return (await count(nodeId)) >= max;
      // Far from the limit, a request does not wait for the new count.
      if (performance.now() - known.countedAt >= MAX_AGE_MS) count(nodeId).catch(() => {});
      return false;
    },
    created: (nodeId) => {
      const known = remembered.get(nodeId);
      if (known !== undefined) known.open += 1;
    },
  };
};
