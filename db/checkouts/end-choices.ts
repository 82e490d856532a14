import type { Knex } from 'knex';
import { endUnseen, requestCancel } from '../payments/cancel.ts';
import { dropChoices } from '../payments/transition.ts';
import type { LockedCheckout } from './lock.ts';

/**
 * Cancels the open payments of a locked checkout: at once those that wait for a former choice and those that nobody can have seen,
 * any other as every payment is canceled.
 * @param actorId the integration; null for the buyer
 * @returns false when the payment is being paid, so that its fate must be known first
 */
export const endChoices = async (
  trx: Knex.Transaction,
  { open, on_chain_cancel: onChain }: LockedCheckout,
  actorId: string | null,
): Promise<boolean> => {
  const [waiting, payable] = [open.filter((one) => one.is_blocked), open.filter((one) => !one.is_blocked)];
  // Those that wait come first: the end of the other one would let them go on.
  const dropped =
    waiting.length === 0
      ? []
      : await dropChoices(
          trx,
          waiting.map(({ id }) => id),
        );
  // After a restore, one that waits here may have gone on in the lost time.
  const kept = waiting.filter(({ id }) => !dropped.includes(id));
  for (const { id } of [...kept, ...payable]) {
    if ((await requestCancel(trx, { paymentId: id, actorId, onChain })) === 'refused') return false;
    await endUnseen(trx, id);
  }
  return true;
};
