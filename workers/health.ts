import type { Client } from '@temporalio/client';

/** Identifies the worker in question. */
export interface WorkerQuestion {
  readonly taskQueue: string;
  /** Recognises the worker by its identity in Temporal, `pid@host`. */
  readonly isIt: (identity: string) => boolean;
}

/** Value of `TaskQueueType` in Temporal's API, enums/v1/task_queue.proto. */
const WORKFLOW_TASKS = 1;
/** Seconds after its last poll for which a worker counts: a poll waits up to a minute for a task. */
const POLLED_SECONDS = 90;
/** Milliseconds for the question to Temporal. */
const PATIENCE_MS = 5_000;

/**
 * True when Temporal says that the worker has polled it for workflow tasks in the last 90 seconds. So a worker is unhealthy when it
 * cannot start, has lost Temporal, or sends polls that Temporal no longer sees.
 * @throws Error when Temporal does not answer within five seconds
 */
export const isWorkerPolling = async (client: Client, { taskQueue, isIt }: WorkerQuestion): Promise<boolean> => {
  const { namespace } = client.options;
  const { pollers } = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: WORKFLOW_TASKS,
    }),
  );
  const since = Date.now() / 1_000 - POLLED_SECONDS;
  return pollers.some(
    ({ identity, lastAccessTime }) => isIt(identity ?? '') && Number(lastAccessTime?.seconds ?? 0) > since,
  );
};
