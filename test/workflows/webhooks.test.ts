import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createRetryActivities, createSenderActivities } from '../../activities/runs.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { ensureSender } from '../../workers/ensure.ts';
import { advanceSignal, chainTaskQueue, webhookTaskQueue, workflowTypes } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { saveHistory } from '../support/histories.ts';
import { testTemporal } from '../support/temporal.ts';
import { quietSdk, testBundle } from '../support/workflow-worker.ts';

/* The two workflows of webhooks. Each test replaces the loops of the sender. */

const { address, namespace, taskQueue } = testTemporal();
const stopping = new AbortController();
/** The results of runs of the retries, by configuration, in order. */
const answers = new Map<string, (number | null)[]>();
const runs: string[] = [];
const senders: (() => void)[] = [];

let connection: NativeConnection;
let client: Client;
let workers: Worker[];
let running: Promise<unknown>;

beforeAll(async () => {
  quietSdk();
  connection = await NativeConnection.connect({ address });
  client = createTemporalClient({ address, namespace });
  const deps = {
    runSender: () => new Promise<void>((resolve) => senders.push(resolve)),
    runRetries: async (webhookId: string) => {
      runs.push(webhookId);
      return answers.get(webhookId)?.shift() ?? null;
    },
    stopping: stopping.signal,
  };
  const make = (queue: string, activities: object): Promise<Worker> =>
    Worker.create({ connection, namespace, taskQueue: queue, activities });
  workers = [
    await Worker.create({ connection, namespace, taskQueue, workflowBundle: { codePath: await testBundle() } }),
    await make(chainTaskQueue(taskQueue), createSenderActivities(deps)),
    await make(webhookTaskQueue(taskQueue), createRetryActivities(deps)),
  ];
  running = Promise.all(workers.map((worker) => worker.run()));
});

afterAll(async () => {
  for (const end of senders) end();
  stopping.abort();
  for (const worker of workers) worker.shutdown();
  await running;
  await client.connection.close();
  await connection.close();
});

const start = (webhookId: string, ...pauses: (number | null)[]): Promise<WorkflowHandle> => {
  answers.set(webhookId, pauses);
  return client.workflow.start(workflowTypes.retryWebhooks, {
    workflowId: workflowIds.retryWebhooks(webhookId),
    taskQueue,
    args: [{ webhookId, profile: 'test' }],
  });
};
const runsOf = (webhookId: string): number => runs.filter((id) => id === webhookId).length;

it('retries run when a delivery is due, and end when none is left', async () => {
  const webhookId = randomUUID();
  const handle = await start(webhookId, 300, 0, 200, null);
  await handle.result();
  expect(runsOf(webhookId)).toBe(4);
  await saveHistory('retry-webhooks-drained', handle);
});

it('a signal starts the next pass at once, however long the pause is', async () => {
  const webhookId = randomUUID();
  const handle = await start(webhookId, 86_400_000, null);
  await eventually(() => runsOf(webhookId) === 1);
  await handle.signal(advanceSignal);
  await handle.result();
  expect(runsOf(webhookId)).toBe(2);
  await saveHistory('retry-webhooks-woken', handle);
});

it('the sender runs once for a task queue, and is continued', async () => {
  await ensureSender({ client, taskQueue, profile: 'test' });
  await ensureSender({ client, taskQueue, profile: 'test' });
  const handle = client.workflow.getHandle(workflowIds.sendWebhooks(taskQueue));
  await eventually(() => senders.length === 1);
  const first = await handle.describe();
  senders[0]!();
  await eventually(() => senders.length === 2);
  const second = await handle.describe();
  expect([first.status.name, second.status.name]).toEqual(['RUNNING', 'RUNNING']);
  expect(second.runId).not.toBe(first.runId);
  await saveHistory('send-webhooks-continued', client.workflow.getHandle(first.workflowId, first.runId));
  await handle.terminate();
});
