import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { InspectionActivities } from '../activities/inspection.ts';
import type { InspectedDiamond } from '../domain/version-check.ts';
import { inspectionTaskQueue, type InspectInput } from './messages.ts';
import { retryPolicy } from './steps.ts';
import { timings } from './timing.ts';

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
  setCurrentDetails(describe(checked));
  return checked;
};

/** For operators, as Markdown: every contract that differs from the release. */
const describe = ({ isThere, blockNumber, checkedAt, contracts, cut, unknownRelease }: InspectedDiamond): string => {
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
