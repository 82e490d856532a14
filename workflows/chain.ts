import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ChainActivities } from '../activities/chain.ts';
import { chainTaskQueue, type LaneInput, type WatchNetworkInput } from './messages.ts';
import { retryPolicy } from './steps.ts';
import { timings, type Timing } from './timing.ts';

/*
 * The two workflows that run for as long as the catalogue wants them. They get no signals: one activity at a time does the work, which looks into the
 * database, returns after ten minutes, and the next run takes over.
 */

const chainActivities = (timing: Timing, summary: string) =>
  proxyActivities<ChainActivities>({
    taskQueue: chainTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timing.chainRun * 2,
    heartbeatTimeout: timing.heartbeat,
    retry: retryPolicy(timing),
    summary,
  });

/** Keeps one signer of one network at work: its transactions are signed, sent and confirmed. Ends with a dismissed key, and when the network is at rest. */
export const lane = async (input: LaneInput): Promise<void> => {
  const { networkId, accountId, address } = input;
  const timing = timings[input.profile];
  const { runLane } = chainActivities(timing, `Send and confirm the transactions of ${address}`);
  setCurrentDetails(`Lane of ${address} on network ${networkId}`);
  const end = await runLane({ networkId, accountId, address, runMs: timing.chainRun });
  // Runs of before gave no answer.
  if ((end as typeof end | null)?.isOver) return;
  await continueAsNew<typeof lane>(input);
};

/** Keeps one network watched: blocks, events, reorganisations and expiries are written down. Ends when the network is at rest. */
export const watchNetwork = async (input: WatchNetworkInput): Promise<void> => {
  const timing = timings[input.profile];
  const { runWatcher } = chainActivities(timing, `Read the blocks of network ${input.networkId}`);
  setCurrentDetails(`Watcher of network ${input.networkId}`);
  const end = await runWatcher({ networkId: input.networkId, runMs: timing.chainRun });
  // Runs of before gave no answer.
  if ((end as typeof end | null)?.isOver) return;
  await continueAsNew<typeof watchNetwork>(input);
};
