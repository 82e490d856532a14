import type { QueuedIntent } from '../../domain/lane.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { LaneRun } from './context.ts';

/** An intent that has to wait, and why. */
export interface Waiter {
  readonly intent: QueuedIntent;
  readonly waiting: WaitingDetail;
}

/** Writes why intents wait, where that is news; it shows as `status_detail` of their payments. */
export const tellWaiting = async ({ store, lease, memory }: LaneRun, waiters: readonly Waiter[]): Promise<void> => {
  const news = waiters.filter(({ intent, waiting }) => memory.told.get(intent.id) !== waiting);
  for (const [waiting, group] of groupBy(news, (waiter) => waiter.waiting)) {
    const ids = group.map(({ intent }) => intent.id);
    await store.recordWaiting(lease, ids, waiting);
    for (const id of ids) memory.told.set(id, waiting);
  }
};

/** All intents for one reason. */
export const tellAllWaiting = (run: LaneRun, intents: readonly QueuedIntent[], waiting: WaitingDetail): Promise<void> =>
  tellWaiting(
    run,
    intents.map((intent) => ({ intent, waiting })),
  );
