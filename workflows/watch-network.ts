import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ChainActivities } from '../activities/index.ts';
import { chainTaskQueue, type WatchNetworkInput } from './messages.ts';
import { retryPolicy } from './steps.ts';
import { timings } from './timing.ts';

/**
 * Keeps one network watched: blocks, events, reorganisations and expiries are written down by one activity at a time.
 * Nobody signals it; the activity returns after ten minutes, and the next run takes over.
 */
export const watchNetwork = async (input: WatchNetworkInput): Promise<never> => {
  const timing = timings[input.profile];
  const { runWatcher } = proxyActivities<ChainActivities>({
    taskQueue: chainTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timing.chainRun * 2,
    heartbeatTimeout: timing.heartbeat,
    retry: retryPolicy(timing),
    summary: `Read the blocks of network ${input.networkId}`,
  });
  setCurrentDetails(`Watcher of network ${input.networkId}`);
  await runWatcher({ networkId: input.networkId, runMs: timing.chainRun });
  return continueAsNew<typeof watchNetwork>(input);
};
