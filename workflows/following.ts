import { condition, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { PaymentActivities } from '../activities/payment.ts';
import { searchAttributes, transitionsSignal } from './messages.ts';
import { createLocalStep } from './steps.ts';
import { createTimeline, type Timeline, type Timelines } from './timeline.ts';
import type { Timing } from './timing.ts';

/**
 * Receives every change of these payments from now on, and shows it to operators.
 * @param statuses the `PaymentStatuses` that the starter wrote; undefined: search attributes are written at the end
 *   only
 */
export const followPayments = (paymentIds: readonly string[], timing: Timing, statuses: string | undefined) => {
  const timeline = createTimeline(paymentIds);
  const run = createLocalStep(timing);
  const shown = { statuses, hashes: '' };
  let decision = '';

  /** Each change of the search attributes is one event in the history. */
  const show = (): void => {
    setCurrentDetails(`${decision}${timeline.describe()}`);
    const now = { statuses: timeline.statuses(), hashes: timeline.hashes() };
    if (statuses === undefined || (now.statuses === shown.statuses && now.hashes === shown.hashes)) return;
    upsertSearchAttributes([
      { key: searchAttributes.paymentStatuses, value: now.statuses },
      { key: searchAttributes.transactionHashes, value: now.hashes },
    ]);
    Object.assign(shown, now);
  };
  const learn: Timeline['add'] = (changes) => {
    timeline.add(changes);
    show();
  };
  setHandler(transitionsSignal, learn);

  return {
    timeline,
    /** Runs a step, and adds the transitions that the payments' logs have after it. */
    step: async <Name extends keyof PaymentActivities>(
      name: Name,
      summary: string,
      ...args: Parameters<PaymentActivities[Name]>
    ): Promise<void> => learn(await run(name, summary, ...args)),
    /** Shows operators a decision above the timeline. */
    explain: (text: string): void => {
      decision = `${text}\n\n`;
      show();
    },
    hasEnded: (): boolean => timeline.open().length === 0,
    /** Fills the gaps and returns the timeline of each payment. */
    conclude: async (): Promise<Timelines> => {
      if (timeline.gaps().length > 0 && !(await condition(() => timeline.gaps().length === 0, timing.stragglers))) {
        learn(await run('readTransitions', 'Read what no signal told', timeline.gaps()));
      }
      if (statuses === undefined) {
        upsertSearchAttributes([{ key: searchAttributes.paymentStatuses, value: timeline.statuses() }]);
      }
      return timeline.result();
    },
  };
};

export type Following = ReturnType<typeof followPayments>;
