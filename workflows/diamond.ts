import {
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
  proxyActivities,
} from '@temporalio/workflow';
import type { DeploymentKind, DeploymentStep } from '../domain/deployment.ts';
import type { WaitingDetail } from '../domain/payment.ts';
import { advanceSignal, type DiamondInput, inspectionTaskQueue, type InspectInput } from './messages.ts';
import { createChainStep, createLocalStep, retryPolicy } from './steps.ts';
import { timings, type Timing } from './timing.ts';
import type { InspectionActivities } from '../activities/steps.ts';
import type { InspectedDiamond } from '../domain/version-check.ts';

/** The outcome of one try of a step. */
export interface StepRecord {
  /** Absent in histories that are older than updates; the run is a deployment then. */
  readonly kind?: DeploymentKind;
  readonly step: DeploymentStep;
  readonly step_id: string;
  readonly status: 'completed' | 'waiting' | 'failed';
  readonly detail: string | null;
  readonly transactions?: readonly string[];
  readonly at: string;
}

/**
 * Runs the deployments and updates of one diamond, oldest first, step by step. A step that waits for the chain runs again
 * when a signal reports that its transaction is confirmed, or after a timeout. A failed step ends its deployment until a
 * new request.
 * @returns the steps that this run has finished
 */
export const diamond = async (input: DiamondInput): Promise<StepRecord[]> => {
  let advances = 0;
  setHandler(advanceSignal, () => {
    advances += 1;
  });

  const timing = timings[input.profile];
  const local = createLocalStep(timing);
  const onChain = createChainStep(timing);
  const finished: StepRecord[] = [];

  for (;;) {
    const seen = advances;
    const next = await local('nextStep', 'Which step is next', input.walletId, input.networkId);
    if (next === null) {
      if (advances === seen) return finished;
      continue;
    }
    const { id, key, kind = 'deploy' } = next;
    const summary = `${kind === 'update' ? 'Update' : 'Deployment'}: ${key}`;
    const outcome = await onChain('runStep', summary, input.walletId, input.networkId, id);
    const record = { kind, step: key, step_id: id, ...outcome, at: new Date().toISOString() };
    setCurrentDetails([...finished, record].map(describeStep).join('\n'));
    if (outcome.status !== 'waiting') finished.push(record);
    else await condition(() => advances > seen, restOf(outcome, timing));
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof diamond>(input);
  }
};

/** No signal reports that a network responds again, so its step runs again soon. */
const restOf = ({ waiting }: { readonly waiting?: WaitingDetail | null }, timing: Timing): number =>
  waiting === 'network_unreachable' || waiting === 'endpoint_refuses' ? timing.longestRetry : timing.advance;

const describeStep = ({ at, kind, step, status, detail, transactions = [] }: StepRecord): string => {
  const sent = transactions.map((hash) => ` \`${hash}\``).join('');
  return `- ${at} ${kind} ${step}: **${status}**${detail === null ? '' : ` (${detail})`}${sent}`;
};

/**
 * Compares a wallet's diamond with the release of its network, for one waiting request. It changes nothing, so it fails
 * where the network does not respond in time.
 * @returns the inspection, for the answer to the request
 */
export const inspect = async ({ networkId, address, profile }: InspectInput): Promise<InspectedDiamond> => {
  const timing = timings[profile];
  const { inspectDiamond } = proxyActivities<InspectionActivities>({
    taskQueue: inspectionTaskQueue(workflowInfo().taskQueue),
    scheduleToCloseTimeout: timing.inspection,
    retry: retryPolicy(timing),
    summary: `Inspect ${address}`,
  });
  setCurrentDetails(`Waits for network ${networkId}`);
  const checked = await inspectDiamond(networkId, address);
  setCurrentDetails(describeInspection(checked));
  return checked;
};

/** For operators, as Markdown: every contract that differs from the release. */
const describeInspection = ({
  isThere,
  blockNumber,
  checkedAt,
  contracts,
  cut,
  unknownRelease,
}: InspectedDiamond): string => {
  const idle =
    unknownRelease === undefined ? 'there is nothing to update' : 'the release of the network is none of ours';
  const outcome = cut === null ? idle : `an update makes ${cut.cuts.length} changes`;
  const found = isThere ? outcome : 'there is no diamond';
  const differing = contracts.filter(
    ({ status, current_approved: isApproved }) => isThere && (status !== 'up_to_date' || isApproved === false),
  );
  return [
    `${checkedAt}: at block ${blockNumber} **${found}**`,
    ...differing.map(
      ({ name, address, status, current_approved: isApproved }) =>
        `- ${name ?? 'facet'} \`${address}\`: **${status}**${isApproved === false ? ', not approved' : ''}`,
    ),
  ].join('\n');
};
