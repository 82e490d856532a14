import { condition, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributes, transitionsSignal, type CreatePaymentInput } from './messages.ts';
import { createLocalStep, type Step } from './steps.ts';
import { createTimeline, type Timeline, type Timelines } from './timeline.ts';
import { timings, type Timing } from './timing.ts';

/**
 * Gets the deals of its payments onto the chain and follows each payment to its end. What happens there is decided by
 * lane and watcher and arrives as signals; off-chain payments are expired from here.
 * @returns what became of each payment, when, and in which block
 */
export const createPayment = async (input: CreatePaymentInput): Promise<Timelines> => {
  const ids = input.payments.map((payment) => payment.id);
  const timeline = createTimeline(ids);
  const show = createShow(timeline, input.statuses);
  const learn = (changes: Parameters<Timeline['add']>[0]): void => {
    timeline.add(changes);
    show();
  };
  setHandler(transitionsSignal, learn);

  const timing = timings[input.profile];
  const step = createLocalStep(timing);

  learn(await step('enqueueDeals', `Want ${ids.length === 1 ? 'the deal' : `${ids.length} deals`} on the chain`, ids));

  if (input.method === 'offchain') await expireInTime(input, timeline, learn, step, timing);
  else await condition(() => timeline.open().length === 0);

  if (timeline.gaps().length > 0 && !(await condition(() => timeline.gaps().length === 0, timing.stragglers))) {
    learn(await step('readTransitions', 'Read what no signal told', timeline.gaps()));
  }

  if (input.statuses === undefined) {
    upsertSearchAttributes([{ key: searchAttributes.paymentStatuses, value: timeline.statuses() }]);
  }
  return timeline.result();
};

/**
 * Keeps what operators see and search by at what is known; each change of it is one event more in the history.
 * @param statuses what the starter has written; absent: nothing is kept
 */
const createShow = (timeline: Timeline, statuses: string | undefined): (() => void) => {
  const shown = { statuses, hashes: '' };
  return () => {
    setCurrentDetails(timeline.describe());
    const now = { statuses: timeline.statuses(), hashes: timeline.hashes() };
    if (statuses === undefined || (now.statuses === shown.statuses && now.hashes === shown.hashes)) return;
    upsertSearchAttributes([
      { key: searchAttributes.paymentStatuses, value: now.statuses },
      { key: searchAttributes.transactionHashes, value: now.hashes },
    ]);
    Object.assign(shown, now);
  };
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
