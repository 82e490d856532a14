import os from 'node:os';
import { pathToFileURL } from 'node:url';
import { Connection } from '@temporalio/client';

/** Identifies the worker in question. */
export interface WorkerQuestion {
  /** `host:port` of Temporal. */
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Recognises the worker by its identity in Temporal, `pid@host`. */
  readonly isIt: (identity: string) => boolean;
}

/** Value of `TaskQueueType` in Temporal's API, enums/v1/task_queue.proto. */
const workflowTasks = 1;

/** True when the worker has polled Temporal for workflow tasks in the last 90 seconds. */
export const isWorkerPolling = async ({ address, namespace, taskQueue, isIt }: WorkerQuestion): Promise<boolean> => {
  const connection = Connection.lazy({ address });
  try {
    const question = { namespace, taskQueue: { name: taskQueue }, taskQueueType: workflowTasks };
    const { pollers } = await connection.withDeadline(Date.now() + 5_000, () =>
      connection.workflowService.describeTaskQueue(question),
    );
    // A poll waits up to a minute for a task.
    const since = Date.now() / 1_000 - 90;
    return pollers.some((poller) => isIt(poller.identity ?? '') && Number(poller.lastAccessTime?.seconds ?? 0) > since);
  } finally {
    await connection.close();
  }
};

// As a program this checks the worker of the same container, whose host name is unique.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { CARAT_TEMPORAL_ADDRESS: address = '', CARAT_TEMPORAL_NAMESPACE, CARAT_TASK_QUEUE } = process.env;
  const healthy = await isWorkerPolling({
    address,
    namespace: CARAT_TEMPORAL_NAMESPACE || 'default',
    taskQueue: CARAT_TASK_QUEUE || 'carat',
    isIt: (identity) => identity.endsWith(`@${os.hostname()}`),
  });
  process.exit(healthy ? 0 : 1);
}
