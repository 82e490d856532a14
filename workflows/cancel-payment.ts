import { condition } from '@temporalio/workflow';
import { transitions } from '../domain/payment.ts';
import type { PaymentTransition } from '../domain/ports/outbox.ts';
import { followPayments } from './following.ts';
import type { CancelPaymentInput } from './messages.ts';
import type { Timelines } from './timeline.ts';
import { timings } from './timing.ts';

/**
 * Cancels a payment. The step `decideCancel` decides once, with the payment and its intents locked:
 *
 * - off-chain, the create was never in a slot, or no offer was revealed: `canceled` at once, without a transaction;
 * - a restore lost blocks that the watcher has yet to read: the watcher ends the payment if none of them has its deal;
 * - an offer was revealed: the watcher ends the payment when the chain is past the end of the offer;
 * - else the deal is or may get onto the chain: a cancel is queued in the lane, behind the create.
 *
 * Then the transaction that is mined first decides. If the buyer was faster and a reorganisation removes the payment,
 * the watcher queues the cancel again.
 * @returns the timeline of the payment: transitions, times, blocks
 */
export const cancelPayment = async ({ paymentId, profile }: CancelPaymentInput): Promise<Timelines> => {
  const payment = followPayments([paymentId], timings[profile], '');

  await payment.step('decideCancel', 'Withdraw the deal, or cancel it on the chain', paymentId);
  payment.explain(decisionOf(payment.timeline.transitions(paymentId)));
  await condition(payment.hasEnded);
  return payment.conclude();
};

/** The decision and its reason, as the log of the payment shows them. */
const decisionOf = (log: readonly PaymentTransition[]): string => {
  const newest = log.at(-1);
  if (newest === undefined) return '';
  const { status, status_detail: detail, block_number: block } = newest;
  if (detail === transitions.cancel_unsent.detail)
    return 'Canceled without a transaction: the create was never in a slot, or no offer was revealed.';
  if (status === 'canceled' && (block ?? null) === null)
    return 'Canceled without a transaction: the payment is off-chain.';
  if (status === 'canceling') {
    return 'The deal may be on the chain, or be paid by a revealed offer: a cancel is queued, or waits for the end of the offer, or for the blocks that a restore has lost. What is mined first decides.';
  }
  return `There was nothing to decide: the payment is ${status}.`;
};
