import { condition } from '@temporalio/workflow';
import { followPayments } from './following.ts';
import type { CancelPaymentInput } from './messages.ts';
import { createLocalStep } from './steps.ts';
import type { Timelines } from './timeline.ts';
import { timings } from './timing.ts';

/**
 * Cancels a payment: at once where its deal is on no way to the chain, else by a transaction that its lane sends. If the
 * buyer was faster, what was mined decides; should that be undone, the watcher wants the cancel again.
 * @returns what became of the payment, when, and in which block
 */
export const cancelPayment = async ({ paymentId, profile }: CancelPaymentInput): Promise<Timelines> => {
  const timing = timings[profile];
  const step = createLocalStep(timing);
  const { timeline, learn, conclude } = followPayments([paymentId], { step, timing, statuses: '' });

  learn(await step('decideCancel', 'Withdraw the deal, or cancel it on the chain', paymentId));
  await condition(() => timeline.open().length === 0);
  return conclude();
};
