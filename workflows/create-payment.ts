import { condition } from '@temporalio/workflow';
import { followPayments, type Following } from './following.ts';
import type { CreatePaymentInput } from './messages.ts';
import type { Timelines } from './timeline.ts';
import { timings, type Timing } from './timing.ts';

/**
 * Puts the deals of its payments onto the chain and follows each payment to its end. Lane and watcher decide the
 * outcome there, and signals report it. This workflow itself expires off-chain payments.
 * @returns the timeline of each payment: transitions, times, blocks
 */
export const createPayment = async (input: CreatePaymentInput): Promise<Timelines> => {
  const ids = input.payments.map((payment) => payment.id);
  const timing = timings[input.profile];
  const payments = followPayments(ids, timing, input.statuses);

  await payments.step(
    'enqueueDeals',
    `Want ${ids.length === 1 ? 'the deal' : `${ids.length} deals`} on the chain`,
    ids,
  );

  if (input.method === 'offchain') await expireInTime(input, payments, timing);
  else await condition(payments.hasEnded);

  return payments.conclude();
};

/** Waits for the end of off-chain payments; expires each that is still open at its `expiresAt`. */
const expireInTime = async (input: CreatePaymentInput, payments: Following, timing: Timing): Promise<void> => {
  const { timeline, step, hasEnded } = payments;
  const deadlines = new Map(input.payments.map((payment) => [payment.id, Date.parse(payment.expiresAt)]));
  const deadline = (id: string): number => deadlines.get(id) ?? Infinity;

  while (!hasEnded()) {
    const due = timeline.open().filter((id) => deadline(id) <= Date.now());
    if (due.length === 0) {
      await condition(hasEnded, Math.min(...timeline.open().map(deadline)) - Date.now());
      continue;
    }
    await step('expireOffchain', `Expire ${due.length === 1 ? `payment ${due[0]}` : `${due.length} payments`}`, due);
    // The database decides by whole seconds of its clock, so the step may come a moment early.
    const stillOpen = (): boolean => due.some((id) => timeline.open().includes(id));
    if (stillOpen()) await condition(() => !stillOpen(), timing.expiryOutcome);
  }
};
