import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { InspectionActivities } from '../activities/inspection.ts';
import type { CheckedDiamond } from '../domain/version-check.ts';
import { inspectionTaskQueue, type InspectInput } from './messages.ts';
import { retryPolicy } from './steps.ts';
import { timings } from './timing.ts';

/**
 * Compares a wallet's diamond with the release of its network, for one request that waits. It changes nothing, so it
 * fails where the network gives no answer in time.
 * @returns what the request is answered
 */
export const inspect = async ({ networkId, address, profile }: InspectInput): Promise<CheckedDiamond> => {
  const timing = timings[profile];
  const { inspectDiamond } = proxyActivities<InspectionActivities>({
    taskQueue: inspectionTaskQueue(workflowInfo().taskQueue),
    scheduleToCloseTimeout: timing.inspection,
    retry: retryPolicy(timing),
    summary: `Look at ${address}`,
  });
  setCurrentDetails(`Waits for network ${networkId}`);
  const checked = await inspectDiamond(networkId, address);
  setCurrentDetails(describe(checked));
  return checked;
};

/** For an operator: every contract that is not as the release has it, as Markdown. */
const describe = ({ isThere, blockNumber, checkedAt, contracts, cut, unknownRelease }: CheckedDiamond): string => {
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
