import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { ChainActivities } from '../activities/chain.ts';
import type { InspectionActivities } from '../activities/inspection.ts';
import type { RetryActivities, SenderActivities } from '../activities/webhooks.ts';
import type { StepActivities } from '../activities/steps.ts';
import { chainTaskQueue, inspectionTaskQueue, webhookTaskQueue, type Profile } from '../workflows/messages.ts';

/** What the workers are made of. */
export interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly profile: Profile;
  /** Path of the workflows' bundle. */
  readonly bundle: string;
  readonly steps: StepActivities;
  readonly chain: ChainActivities & SenderActivities;
  readonly retries: RetryActivities;
  readonly inspections: InspectionActivities;
  readonly limits: {
    readonly cachedWorkflows: number;
    readonly activities: number;
    /** Steps inside workflow tasks; each needs a database connection. */
    readonly localActivities: number;
    /** At least the number of lanes and networks this process may hold. */
    readonly chainSlots: number;
  };
}

/** What waits for what, per profile; all in milliseconds. */
const patience: Record<Profile, { sticky: number; heartbeatThrottle: number }> = {
  production: { sticky: 10_000, heartbeatThrottle: 5_000 },
  test: { sticky: 1_000, heartbeatThrottle: 500 },
};

/** Failing receivers that are called at once, more than one node may have; the others wait for a slot. */
const RETRY_SLOTS = 400;

/**
 * Diamonds that a process looks at at once, and that all processes together begin to look at in a second, at most. The rate is
 * what spares workers and endpoints; the slots are for as many as it begins while a silent network is waited for.
 */
const INSPECTIONS = { slots: 40, perSecond: 10 };

const SHUTDOWN_GRACE_MS = 5_000;
const SHUTDOWN_FORCE_MS = 15_000;

/** Workflows and their short steps on one queue, lanes and watchers on another, retries on the third, inspections on the fourth. */
export const createWorkers = async (options: WorkersOptions): Promise<readonly Worker[]> => {
  const { connection, namespace, taskQueue, limits } = options;
  const { sticky, heartbeatThrottle } = patience[options.profile];
  const shared = {
    connection,
    namespace,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    shutdownForceTime: SHUTDOWN_FORCE_MS,
    maxHeartbeatThrottleInterval: heartbeatThrottle,
  };
  const steps = await Worker.create({
    ...shared,
    taskQueue,
    workflowBundle: { codePath: options.bundle },
    activities: options.steps,
    reuseV8Context: true,
    maxCachedWorkflows: limits.cachedWorkflows,
    maxConcurrentActivityTaskExecutions: limits.activities,
    maxConcurrentLocalActivityExecutions: limits.localActivities,
    workflowTaskPollerBehavior: { type: 'autoscaling' },
    stickyQueueScheduleToStartTimeout: sticky,
  });
  const chain = await Worker.create({
    ...shared,
    taskQueue: chainTaskQueue(taskQueue),
    activities: options.chain,
    // A frozen process takes no more tasks with it than it has polls under way, and these tasks are few and long.
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
    maxConcurrentActivityTaskExecutions: limits.chainSlots,
  });
  const retries = await Worker.create({
    ...shared,
    taskQueue: webhookTaskQueue(taskQueue),
    activities: options.retries,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
    maxConcurrentActivityTaskExecutions: RETRY_SLOTS,
  });
  return [steps, chain, retries, await createInspectionWorker({ ...shared, taskQueue }, options.inspections)];
};

/** A worker for inspections, of which there may be as many as clients like to ask for: the others wait. */
export const createInspectionWorker = (
  { taskQueue, ...shared }: Pick<WorkerOptions, 'connection' | 'namespace' | 'taskQueue'>,
  activities: InspectionActivities,
): Promise<Worker> =>
  Worker.create({
    ...shared,
    taskQueue: inspectionTaskQueue(taskQueue),
    activities,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
    maxConcurrentActivityTaskExecutions: INSPECTIONS.slots,
    maxTaskQueueActivitiesPerSecond: INSPECTIONS.perSecond,
  });
