import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bundleWorkflowCode, Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { Log } from '../domain/ports/log.ts';
import { succeeds } from '../domain/tools/succeeds.ts';
import type { ChainActivities, RetryActivities, SenderActivities } from '../activities/runs.ts';
import type { InspectionActivities, StepActivities } from '../activities/steps.ts';
import { chainTaskQueue, inspectionTaskQueue, webhookTaskQueue, type Profile } from '../workflows/messages.ts';

const root = path.dirname(import.meta.dirname);
/** Folders whose code can be part of a workflow. */
const sources = ['workflows', 'domain'];

const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
};

/** A hash of the inputs of a bundle: Carat's sources and the version of the SDK. */
const contentHash = async (): Promise<string> => {
  const hash = createHash('sha256');
  const sdk = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  hash.update(sdk.version);
  for (const file of (await Promise.all(sources.map(filesBelow))).flat()) {
    hash.update(`\0${file}\0`).update(await readFile(path.join(root, file)));
  }
  return hash.digest('hex').slice(0, 20);
};

/** Bundles the workflows into `file`, written atomically. */
export const writeWorkflowBundle = async (file: string, log: Log): Promise<void> => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(root, 'workflows', 'index.ts'),
    // The bundler's statistics are of no use to operators.
    logger: { ...log, info: log.debug, trace: log.debug, log: (_level, message, meta) => log.debug(message, meta) },
  });
  await mkdir(path.dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}.partial`;
  await writeFile(partial, code);
  await rename(partial, file);
};

/**
 * The path of a bundle of exactly this code. It is kept for restarts, because bundling takes two seconds.
 */
export const workflowBundle = async (folder: string, log: Log): Promise<string> => {
  const file = path.join(folder, `workflows-${await contentHash()}.js`);
  if (!(await succeeds(stat(file)))) await writeWorkflowBundle(file, log);
  return file;
};

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
