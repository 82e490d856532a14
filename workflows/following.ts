import { condition, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributes, transitionsSignal } from './messages.ts';
import type { Step } from './steps.ts';
import { createTimeline, type Timeline, type Timelines } from './timeline.ts';
import type { Timing } from './timing.ts';

/** What a workflow knows of the payments that it follows, and shows to operators. */
export interface Following {
  readonly timeline: Timeline;
  /** Takes what a step has found out. */
  readonly learn: Timeline['add'];
  /** Fills the gaps, and answers what became of each payment, when, and in which block. */
  conclude(): Promise<Timelines>;
}

interface FollowingOptions {
  readonly step: Step;
  readonly timing: Timing;
  /** What the starter has written to search by; absent: nothing is kept until the end. */
  readonly statuses: string | undefined;
}

/** Hears of every change of these payments from now on. */
export const followPayments = (
  paymentIds: readonly string[],
  { step, timing, statuses }: FollowingOptions,
): Following => {
  const timeline = createTimeline(paymentIds);
  const show = createShow(timeline, statuses);
  const learn: Timeline['add'] = (changes) => {
    timeline.add(changes);
    show();
  };
  setHandler(transitionsSignal, learn);
  return {
    timeline,
    learn,
    conclude: async () => {
      if (timeline.gaps().length > 0 && !(await condition(() => timeline.gaps().length === 0, timing.stragglers))) {
        learn(await step('readTransitions', 'Read what no signal told', timeline.gaps()));
      }
      if (statuses === undefined) {
        upsertSearchAttributes([{ key: searchAttributes.paymentStatuses, value: timeline.statuses() }]);
      }
      return timeline.result();
    },
  };
};

/** Keeps what operators see and search by at what is known; each change of it is one event more in the history. */
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
