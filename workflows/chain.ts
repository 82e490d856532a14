import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
  condition,
  setHandler,
} from '@temporalio/workflow';
import type { ChainActivities, RetryActivities, SenderActivities } from '../activities/runs.ts';
import {
  chainTaskQueue,
  type LaneInput,
  type OfferDealsInput,
  type WatchNetworkInput,
  advanceSignal,
  webhookTaskQueue,
  type RetryWebhooksInput,
  type SendWebhooksInput,
} from './messages.ts';
import { retryPolicy } from './steps.ts';
import { timings, type Timing } from './timing.ts';

/*
 * The workflows that run as long as the catalogue lists their lane or network. They receive no signals: one activity at
 * a time works from the database and returns after ten minutes; then the next run takes over.
 */

const chainActivities = (timing: Timing, summary: string) =>
  proxyActivities<ChainActivities>({
    taskQueue: chainTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timing.chainRun * 2,
    heartbeatTimeout: timing.heartbeat,
    retry: retryPolicy(timing),
    summary,
  });

/** Runs the lane of one signer: signs, sends and confirms its transactions. Ends when its key is dismissed or the network is at rest. */
export const lane = async (input: LaneInput): Promise<void> => {
  const { networkId, accountId, address } = input;
  const timing = timings[input.profile];
  const { runLane } = chainActivities(timing, `Send and confirm the transactions of ${address}`);
  setCurrentDetails(`Lane of ${address} on network ${networkId}`);
  const end = await runLane({ networkId, accountId, address, runMs: timing.chainRun });
  // Activities of older versions of Carat returned nothing.
  if ((end as typeof end | null)?.isOver) return;
  await continueAsNew<typeof lane>(input);
};

/** Watches one network: records its blocks, events, reorganisations and expiries. Ends when the network is at rest. */
export const watchNetwork = async (input: WatchNetworkInput): Promise<void> => {
  const timing = timings[input.profile];
  const { runWatcher } = chainActivities(timing, `Read the blocks of network ${input.networkId}`);
  setCurrentDetails(`Watcher of network ${input.networkId}`);
  const end = await runWatcher({ networkId: input.networkId, runMs: timing.chainRun });
  // Activities of older versions of Carat returned nothing.
  if ((end as typeof end | null)?.isOver) return;
  await continueAsNew<typeof watchNetwork>(input);
};

/** Signs the offers of one network. Ends when the network is at rest or has no signer. */
export const offerDeals = async (input: OfferDealsInput): Promise<void> => {
  const timing = timings[input.profile];
  const { runOffers } = chainActivities(timing, `Sign the offers of network ${input.networkId}`);
  setCurrentDetails(`Offers of network ${input.networkId}`);
  const { isOver } = await runOffers({ networkId: input.networkId, runMs: timing.chainRun });
  if (isOver) return;
  await continueAsNew<typeof offerDeals>(input);
};

/** Makes the first attempts of all deliveries. Never ends. */
export const sendWebhooks = async (input: SendWebhooksInput): Promise<never> => {
  const timing = timings[input.profile];
  const { runSender } = proxyActivities<SenderActivities>({
    taskQueue: chainTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timing.chainRun * 2,
    heartbeatTimeout: timing.heartbeat,
    retry: retryPolicy(timing),
    summary: 'Send what webhooks are to be told',
  });
  setCurrentDetails('First attempts of webhooks');
  await runSender({ runMs: timing.chainRun });
  return continueAsNew<typeof sendWebhooks>(input);
};

/** Retries the deliveries of one failing configuration by the schedule. Ends when none is left. */
export const retryWebhooks = async (input: RetryWebhooksInput): Promise<void> => {
  let wakes = 0;
  setHandler(advanceSignal, () => {
    wakes += 1;
  });
  const timing = timings[input.profile];
  const { runRetries } = proxyActivities<RetryActivities>({
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timing.webhookRun * 4,
    heartbeatTimeout: timing.heartbeat,
    retry: retryPolicy(timing),
    summary: `Retries of webhook ${input.webhookId}`,
  });

  for (;;) {
    const seen = wakes;
    const nextMs = await runRetries({ webhookId: input.webhookId, runMs: timing.webhookRun });
    setCurrentDetails(nextMs === null ? 'Nothing is left' : `Next attempt in ${Math.ceil(nextMs / 1_000)} s`);
    if (nextMs === null && wakes === seen) return;
    if (nextMs !== null && nextMs > 0) await condition(() => wakes > seen, nextMs);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof retryWebhooks>(input);
  }
};
