import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ChainActivities } from '../activities/index.ts';
import { chainTaskQueue, type LaneInput } from './messages.ts';
import { retryPolicy } from './steps.ts';
import { timings } from './timing.ts';

/**
 * Keeps one signer of one network at work: its transactions are signed, sent and settled by one activity at a time.
 * Nobody signals it; the activity looks into the database, returns after ten minutes, and the next run takes over.
 */
export const lane = async (input: LaneInput): Promise<never> => {
  const timing = timings[input.profile];
  const { runLane } = proxyActivities<ChainActivities>({
    taskQueue: chainTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timing.chainRun * 2,
    heartbeatTimeout: timing.heartbeat,
    retry: retryPolicy(timing),
    summary: `Send and settle the transactions of ${input.address}`,
  });
  setCurrentDetails(`Lane of ${input.address} on network ${input.networkId}`);
  await runLane({
    networkId: input.networkId,
    accountId: input.accountId,
    address: input.address,
    runMs: timing.chainRun,
  });
  return continueAsNew<typeof lane>(input);
};
