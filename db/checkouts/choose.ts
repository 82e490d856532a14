import type { Knex } from 'knex';
import { MAX_CHOICES } from '../../domain/checkouts/checkout.ts';
import { DomainError, found } from '../../domain/errors.ts';
import { moveCheckouts, settleCheckouts } from '../choices/settle.ts';
import { endUnseen, requestCancel } from '../payments/cancel.ts';
import { insertPayments, type NewPayment } from '../payments/insert.ts';
import { dropChoices } from '../payments/transition.ts';
import { againAfterDeadlock, isCheckViolation, isUniqueViolation } from '../query/errors.ts';
import { rowsOf } from '../query/statements.ts';
import { type LockedCheckout, lockCheckout } from './lock.ts';

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

/** The choice of a buyer. */
export interface Choice {
  readonly checkoutId: string;
  /** Counted from 0. */
  readonly option: number;
  /**
   * Makes the payment of the choice.
   * @param isBlocked true while a former choice may still be paid
   */
  readonly make: (choice: number, isBlocked: boolean) => NewPayment;
}

/**
 * `same`: the option is the one chosen now; `made`: there is a new payment; `changed`: rows that the payment was checked against have
 * changed, and nothing was stored: plan it again.
 */
export type ChooseResult = 'same' | 'made' | 'changed';

/** Rolls the transaction back. */
class Changed extends Error {}

/** True when the option is that of the newest choice, which goes on. */
const isChosenNow = ({ open }: LockedCheckout, option: number): boolean => {
  const newest = open.at(-1);
  return newest?.option_index === option && newest.status !== 'canceling';
};

const refusalOf = (checkout: LockedCheckout): DomainError | null => {
  if (checkout.has_passed) return new DomainError('checkout_not_open', 'The time to pay this order is over');
  if (checkout.open.some(({ status }) => status === 'processing')) return beingPaid();
  if (checkout.choices >= MAX_CHOICES)
    return new DomainError('too_many_choices', `The buyer of an order may choose ${MAX_CHOICES} times`);
  return null;
};

const notOpen = () => new DomainError('checkout_not_open', 'The order has ended, or is being canceled');
const beingPaid = () =>
  new DomainError(
    'choice_being_paid',
    'The payment that was chosen before is in a block; wait until its outcome is known',
  );

const chooseIn = async (trx: Knex.Transaction, { checkoutId, option, make }: Choice): Promise<ChooseResult> => {
  const checkout = found(await lockCheckout(trx, checkoutId), 'checkout');
  if ((checkout.status !== 'open' && checkout.status !== 'chosen') || checkout.is_cancel_requested) throw notOpen();
  if (isChosenNow(checkout, option)) return 'same';
  const refusal = refusalOf(checkout);
  if (refusal !== null) throw refusal;
  if (!(await endChoices(trx, checkout, null))) throw beingPaid();
  const left = await rowsOf(trx, [checkoutId])(
    'SELECT 1 FROM payments WHERE checkout_id = ? AND terminal_at IS NULL LIMIT 1',
  );
  const payment = make(checkout.choices + 1, left.length > 0);
  if ((await insertPayments(trx, [payment])).size === 0) throw new Changed();
  if ((await moveCheckouts(trx, 'option_chosen', [checkoutId], 'choices = c.choices + 1')).length === 0)
    throw notOpen();
  return 'made';
};

/**
 * Makes a payment of a buyer's choice, in one transaction with the cancel of the former choice. While that may still be paid, the new
 * payment is neither created nor offered: the end of the former one lets it go on.
 * @throws DomainError checkout_not_found, checkout_not_open, choice_being_paid, too_many_choices
 */
export const choose = async (knex: Knex, choice: Choice): Promise<ChooseResult> => {
  try {
    return await againAfterDeadlock(() => knex.transaction((trx) => chooseIn(trx, choice)));
  } catch (error) {
    // The random id of a deal is taken, or something has changed.
    if (error instanceof Changed || isUniqueViolation(error, 'payments_deal')) return 'changed';
    // A payout lock was set after the payment was planned.
    if (isCheckViolation(error, 'payments_payout_lock')) return 'changed';
    throw error;
  }
};

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
