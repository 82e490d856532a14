import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { ChainActivities } from '../activities/chain.ts';
import type { InspectionActivities } from '../activities/inspection.ts';
import type { RetryActivities, SenderActivities } from '../activities/webhooks.ts';
import type { StepActivities } from '../activities/steps.ts';
import { chainTaskQueue, inspectionTaskQueue, webhookTaskQueue, type Profile } from '../workflows/messages.ts';

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
    /** Local activities, which run inside workflow tasks; each needs a database connection. */
    readonly localActivities: number;
    /** At least the number of lanes, of networks, and of networks with offers that this process may run. */
    readonly chainSlots: number;
  };
}

/** Timeouts per profile, in milliseconds. */
const patience: Record<Profile, { sticky: number; heartbeatThrottle: number }> = {
  production: { sticky: 10_000, heartbeatThrottle: 5_000 },
  test: { sticky: 1_000, heartbeatThrottle: 1_000 },
};

/** Failing receivers that are called concurrently, more than one node may have; the others wait for a slot. */
const RETRY_SLOTS = 400;

/**
 * Most inspections that a process runs concurrently, and that all processes together start per second. The rate
 * protects workers and endpoints; the slots suffice for the inspections that start while a silent network is awaited.
 */
const INSPECTIONS = { slots: 40, perSecond: 10 };

/** Slot of the sender of webhooks, beside those of the chains. */
const SENDER_SLOT = 1;

const SHUTDOWN_GRACE_MS = 5_000;
const SHUTDOWN_FORCE_MS = 15_000;

/** One worker per task queue: workflows and their short steps, lanes and watchers, retries, inspections. */
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
    // A frozen process takes as many tasks with it as it has polls in flight, and these tasks are few and long.
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
    maxConcurrentActivityTaskExecutions: limits.chainSlots + SENDER_SLOT,
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

/** The worker of inspections. Clients may request any number; those beyond its limits wait. */
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
