import { condition } from '@temporalio/workflow';
import { followPayments } from './following.ts';
import type { CreatePaymentInput } from './messages.ts';
import { createLocalStep, type Step } from './steps.ts';
import type { Timeline, Timelines } from './timeline.ts';
import { timings, type Timing } from './timing.ts';

/**
 * Gets the deals of its payments onto the chain and follows each payment to its end. What happens there is decided by
 * lane and watcher and arrives as signals; off-chain payments are expired from here.
 * @returns what became of each payment, when, and in which block
 */
export const createPayment = async (input: CreatePaymentInput): Promise<Timelines> => {
  const ids = input.payments.map((payment) => payment.id);
  const timing = timings[input.profile];
  const step = createLocalStep(timing);
  const { timeline, learn, conclude } = followPayments(ids, { step, timing, statuses: input.statuses });

  learn(await step('enqueueDeals', `Want ${ids.length === 1 ? 'the deal' : `${ids.length} deals`} on the chain`, ids));

  if (input.method === 'offchain') await expireInTime(input, timeline, learn, step, timing);
  else await condition(() => timeline.open().length === 0);

  return conclude();
};

/** Waits for the outcome of off-chain payments; each that is still open at its `expiresAt` expires then. */
const expireInTime = async (
  { payments }: CreatePaymentInput,
  timeline: Timeline,
  learn: Timeline['add'],
  step: Step,
  timing: Timing,
): Promise<void> => {
  const deadlines = new Map(payments.map((payment) => [payment.id, Date.parse(payment.expiresAt)]));
  const deadline = (id: string): number => deadlines.get(id) ?? Infinity;
  const allEnded = (): boolean => timeline.open().length === 0;

  while (!allEnded()) {
    const due = timeline.open().filter((id) => deadline(id) <= Date.now());
    if (due.length === 0) {
      await condition(allEnded, Math.min(...timeline.open().map(deadline)) - Date.now());
      continue;
    }
    learn(
      await step('expireOffchain', `Expire ${due.length === 1 ? `payment ${due[0]}` : `${due.length} payments`}`, due),
    );
    // Whole seconds of the database's clock decide, so it may be a moment early.
    const stillOpen = (): boolean => due.some((id) => timeline.open().includes(id));
    if (stillOpen()) await condition(() => !stillOpen(), timing.expiryOutcome);
  }
};
