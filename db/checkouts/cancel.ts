import type { Knex } from 'knex';
import { settleCheckouts } from '../choices/settle.ts';
import { endChoices } from './end-choices.ts';
import { lockCheckout } from './lock.ts';

/** `again`: a cancel was accepted before, and nothing changes; `refused`: the checkout is being paid, or has ended. */
export type CancelCheckoutResult = 'accepted' | 'again' | 'refused';

/**
 * Accepts the cancel of a checkout: its open payment is canceled first, and the checkout becomes `canceled` when the outcome of that is
 * known. The buyer cannot choose any more. Without an open payment it is `canceled` at once.
 */
export const cancelCheckout = async (
  trx: Knex.Transaction,
  { checkoutId, actorId }: { readonly checkoutId: string; readonly actorId: string },
): Promise<CancelCheckoutResult> => {
  const checkout = await lockCheckout(trx, checkoutId);
  // Only a cancel ends a checkout as canceled.
  if (checkout?.status === 'canceled') return 'again';
  if (checkout === null || (checkout.status !== 'open' && checkout.status !== 'chosen')) return 'refused';
  if (checkout.is_cancel_requested) return 'again';
  if (checkout.open.some(({ status }) => status === 'processing')) return 'refused';
  await trx('checkouts')
    .where({ id: checkoutId })
    .update({ cancel_requested_at: trx.raw('clock_timestamp()'), updated_at: trx.raw('clock_timestamp()') });
  if (!(await endChoices(trx, checkout, actorId)))
    throw new Error(`Payments of the locked order ${checkoutId} have changed`);
  await settleCheckouts(trx, [checkoutId]);
  return 'accepted';
};
