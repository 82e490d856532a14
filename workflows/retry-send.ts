import { condition } from '@temporalio/workflow';
import { transitions } from '../domain/payment.ts';
import type { PaymentTransition } from '../domain/ports/outbox.ts';
import { followPayments } from './following.ts';
import type { RetrySendInput } from './messages.ts';
import type { Timelines } from './timeline.ts';
import { timings } from './timing.ts';

// Runs under way depend on these two words: if the table changes them, `patched` must keep the old ones.
const { to: waiting, log: requested } = transitions.retry_requested;

/**
 * Sends the deal of a pending payment again. The step `sendAgain` decides:
 *
 * - a create is under way: its slot, and those before it in the lane, are marked, and the lane sends them to every endpoint
 *   with higher fees and, where an estimate asks for it, more gas;
 * - the create had no effect or was withdrawn: a new one is queued, which uses up no retry.
 *
 * Ends when the payment leaves `pending`, or when a later retry replaces this one.
 * @returns the timeline of the payment as far as it is known
 */
export const retrySend = async ({ paymentId, sequence, profile }: RetrySendInput): Promise<Timelines> => {
  const payment = followPayments([paymentId], timings[profile], '');
  const end = (): string | undefined => endOf(payment.timeline.transitions(paymentId), sequence);

  await payment.step('sendAgain', 'Send the deal again, or want it anew', paymentId);
  await condition(() => end() !== undefined);
  payment.explain(end() ?? '');
  return payment.conclude();
};

/** Why the retry has ended, as the log of the payment shows it; undefined while it goes on. */
const endOf = (log: readonly PaymentTransition[], sequence: number): string | undefined => {
  const last = log.find(
    (change) => change.sequence > sequence && (change.event_type === requested || change.status !== waiting),
  );
  if (last === undefined) return undefined;
  return last.event_type === requested ? 'A later retry replaces this one.' : `The payment became ${last.status}.`;
};
