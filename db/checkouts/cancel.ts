import type { Knex } from 'knex';
import { settleOrders } from '../choices/settle.ts';
import { endChoices } from './end-choices.ts';
import { lockOrder } from './lock.ts';

/** `again`: a cancel was accepted before, and nothing changes; `refused`: the order is being paid, or has ended. */
export type CancelOrderResult = 'accepted' | 'again' | 'refused';

/**
 * Accepts the cancel of an order: its open payment is canceled first, and the order becomes `canceled` when the outcome of that is
 * known. The buyer cannot choose any more. Without an open payment it is `canceled` at once.
 */
export const cancelOrder = async (
  trx: Knex.Transaction,
  { checkoutId, actorId }: { readonly checkoutId: string; readonly actorId: string },
): Promise<CancelOrderResult> => {
  const order = await lockOrder(trx, checkoutId);
  // Only a cancel ends an order as canceled.
  if (order?.status === 'canceled') return 'again';
  if (order === null || (order.status !== 'open' && order.status !== 'chosen')) return 'refused';
  if (order.is_cancel_requested) return 'again';
  if (order.open.some(({ status }) => status === 'processing')) return 'refused';
  await trx('checkouts')
    .where({ id: checkoutId })
    .update({ cancel_requested_at: trx.raw('clock_timestamp()'), updated_at: trx.raw('clock_timestamp()') });
  if (!(await endChoices(trx, order, actorId)))
    throw new Error(`Payments of the locked order ${checkoutId} have changed`);
  await settleOrders(trx, [checkoutId]);
  return 'accepted';
};
