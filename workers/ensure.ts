import type { Client } from '@temporalio/client';
import { workflowIds } from '../domain/workflow-ids.ts';
import {
  searchAttributes,
  timings,
  workflowTypes,
  type LaneInput,
  type Profile,
  type WatchNetworkInput,
} from '../workflows/messages.ts';

export interface LaneToRun {
  readonly id: string;
  readonly networkId: string;
  readonly address: string;
  readonly role: string;
}

export interface EnsureOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly profile: Profile;
  readonly networks: readonly { readonly id: string; readonly name: string }[];
  readonly lanes: readonly LaneToRun[];
}

/** Starts the watcher of each network and the lane of each account that do not run yet. */
export const ensureChainWorkflows = async ({ client, taskQueue, profile, ...wanted }: EnsureOptions): Promise<void> => {
  const nameOf = new Map(wanted.networks.map((network) => [network.id, network.name]));
  const start = (type: string, workflowId: string, input: LaneInput | WatchNetworkInput, summary: string) =>
    client.withDeadline(Date.now() + 5_000, () =>
      client.workflow.start(type, {
        workflowId,
        taskQueue,
        args: [input],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: timings[profile].workflowTask,
        typedSearchAttributes: [{ key: searchAttributes.networkId, value: input.networkId }],
        staticSummary: summary,
        staticDetails: `Network ${nameOf.get(input.networkId) ?? ''} (${input.networkId}). Runs for ever; each run of the workflow lasts minutes.`,
      }),
    );
  await Promise.all([
    ...wanted.networks.map(({ id, name }) =>
      start(workflowTypes.watchNetwork, workflowIds.watchNetwork(id), { networkId: id, profile }, `Watcher of ${name}`),
    ),
    ...wanted.lanes.map(({ id, networkId, address, role }) =>
      start(
        workflowTypes.lane,
        workflowIds.lane(networkId, address),
        { networkId, accountId: id, address, profile },
        `Lane of ${role} ${address} on ${nameOf.get(networkId) ?? networkId}`,
      ),
    ),
  ]);
};
