import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RetryActivities, SenderActivities } from '../activities/webhooks.ts';
import {
  advanceSignal,
  chainTaskQueue,
  webhookTaskQueue,
  type RetryWebhooksInput,
  type SendWebhooksInput,
} from './messages.ts';
import { retryPolicy } from './steps.ts';
import { timings } from './timing.ts';

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
