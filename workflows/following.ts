import { condition, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { PaymentActivities } from '../activities/payment.ts';
import { searchAttributes, transitionsSignal } from './messages.ts';
import { createLocalStep } from './steps.ts';
import { createTimeline, type Timeline, type Timelines } from './timeline.ts';
import type { Timing } from './timing.ts';

/** A workflow's view of its payments. */
export interface Following {
  readonly timeline: Timeline;
  /** Runs a step, and adds what the logs of the payments say after it. */
  step<Name extends keyof PaymentActivities>(
    name: Name,
    summary: string,
    ...args: Parameters<PaymentActivities[Name]>
  ): Promise<void>;
  /** Shows operators a decision of the workflow, above the timeline. */
  explain(decision: string): void;
  hasEnded(): boolean;
  /** Fills gaps and returns the timeline of each payment. */
  conclude(): Promise<Timelines>;
}

/**
 * Receives every change of these payments from now on, and shows it to operators.
 * @param statuses what the starter wrote as `PaymentStatuses`; undefined where search attributes are written at the end only
 */
export const followPayments = (
  paymentIds: readonly string[],
  timing: Timing,
  statuses: string | undefined,
): Following => {
  const timeline = createTimeline(paymentIds);
  const run = createLocalStep(timing);
  const show = createShow(timeline, statuses);
  const learn: Timeline['add'] = (changes) => {
    timeline.add(changes);
    show.changes();
  };
  setHandler(transitionsSignal, learn);
  return {
    timeline,
    step: async (name, summary, ...args) => learn(await run(name, summary, ...args)),
    explain: show.decision,
    hasEnded: () => timeline.open().length === 0,
    conclude: async () => {
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

/** Keeps details and search attributes up to date. Each change of the attributes is one event in the history. */
const createShow = (timeline: Timeline, statuses: string | undefined) => {
  const shown = { statuses, hashes: '' };
  let decision = '';
  const details = (): void => setCurrentDetails(`${decision}${timeline.describe()}`);
  return {
    decision: (text: string): void => {
      decision = `${text}\n\n`;
      details();
    },
    changes: (): void => {
      details();
      const now = { statuses: timeline.statuses(), hashes: timeline.hashes() };
      if (statuses === undefined || (now.statuses === shown.statuses && now.hashes === shown.hashes)) return;
      upsertSearchAttributes([
        { key: searchAttributes.paymentStatuses, value: now.statuses },
        { key: searchAttributes.transactionHashes, value: now.hashes },
      ]);
      Object.assign(shown, now);
    },
  };
};
