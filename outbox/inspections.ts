import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Log } from '../domain/ports/log.ts';
import { createSingleFlight } from '../domain/tools/single-flight.ts';
import { withinMs } from '../domain/tools/within-ms.ts';
import type { InspectedDiamond, Inspect, InspectionRequest } from '../domain/version-check.ts';
import { workflowIds } from '../domain/workflow-ids.ts';
import { searchAttributes, timings, workflowTypes, type InspectInput, type Profile } from '../workflows/messages.ts';
import { reasonOf } from './temporal-errors.ts';

/** Where inspections run, and how long a request waits for one. */
export interface InspectionsOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly profile: Profile;
  readonly log: Log;
  /** Milliseconds that a request waits for its result. Default 10,000. */
  readonly patienceMs?: number;
}

/**
 * Inspects diamonds through workers. Each inspection is a workflow with the timeout of its request. One inspection per diamond
 * runs at a time; requests that arrive meanwhile share the next one, so that no result is older than its request.
 */
export const createInspections = ({ patienceMs = 10_000, ...target }: InspectionsOptions): Inspect => {
  const inspectOnce = createSingleFlight((request: InspectionRequest) => run(request, target, patienceMs), {
    late: 'next',
  });
  return async (request) => (await withinMs(patienceMs, inspectOnce(request))) ?? null;
};

const run = async (
  { walletId, nodeId, networkId, address }: InspectionRequest,
  { client, taskQueue, profile, log }: Omit<InspectionsOptions, 'patienceMs'>,
  patienceMs: number,
): Promise<InspectedDiamond | null> => {
  const input: InspectInput = { walletId, networkId, address, profile };
  try {
    return await client.withDeadline(Date.now() + patienceMs, () =>
      client.workflow.execute(workflowTypes.inspect, {
        workflowId: workflowIds.inspect(randomUUID()),
        taskQueue,
        args: [input],
        workflowExecutionTimeout: patienceMs,
        workflowTaskTimeout: timings[profile].workflowTask,
        typedSearchAttributes: [
          { key: searchAttributes.walletIds, value: [walletId] },
          { key: searchAttributes.nodeIds, value: [nodeId] },
          { key: searchAttributes.networkId, value: networkId },
        ],
        staticSummary: `Inspection of wallet ${walletId}`,
        staticDetails: `Compares the diamond of wallet ${walletId} on network ${networkId} with the network's release.`,
      }),
    );
  } catch (error) {
    log.warn('A diamond could not be inspected', {
      wallet_id: walletId,
      network_id: networkId,
      reason: reasonOf(error),
    });
    return null;
  }
};
