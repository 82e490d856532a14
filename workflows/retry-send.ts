import { condition } from '@temporalio/workflow';
import { followPayments } from './following.ts';
import type { RetrySendInput } from './messages.ts';
import { createLocalStep } from './steps.ts';
import type { Timelines } from './timeline.ts';
import { timings } from './timing.ts';

/**
 * Sends the deal of a pending payment again: its lane sends it to every endpoint, with more fees and gas, or wants it anew
 * where it has come to nothing. Ends when the payment is pending no more, or when somebody asks for yet another retry.
 * @returns what is known of the payment, in order
 */
export const retrySend = async ({ paymentId, sequence, profile }: RetrySendInput): Promise<Timelines> => {
  const timing = timings[profile];
  const step = createLocalStep(timing);
  const { timeline, learn, conclude } = followPayments([paymentId], { step, timing, statuses: '' });

  learn(await step('sendAgain', 'Send the deal again, or want it anew', paymentId));
  await condition(() => {
    const later = timeline.transitions(paymentId).filter((change) => change.sequence > sequence);
    return later.some(({ event_type, status }) => event_type === 'retry_requested' || status !== 'pending');
  });
  return conclude();
};
