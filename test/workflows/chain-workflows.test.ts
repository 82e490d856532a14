import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { createInspectionActivities, createStepActivities } from '../../activities/steps.ts';
import { createChainActivities, createRetryActivities, createSenderActivities } from '../../activities/runs.ts';
import type { ChainRun } from '../../domain/ports/chain-run.ts';
import { LeaseLostError } from '../../domain/ports/lease.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { ensureChainWorkflows, type EnsureOptions } from '../../workers/ensure.ts';
import { createWorkers } from '../../workers/workers.ts';

import { eventually } from '../support/eventually.ts';
import { hex } from '../support/fixtures.ts';
import { saveHistory } from '../support/histories.ts';
import { testTemporal } from '../support/temporal.ts';
import { quietSdk, silent, testBundle } from '../support/workflow-worker.ts';

/** One run of a lane or watcher, held open until the test ends it. */
interface Run {
  readonly what: string;
  readonly run: ChainRun;
  /** Milliseconds until its deadline as it began. */
  readonly leftMs: number;
  readonly end: (error?: Error) => void;
}

const { address, namespace, taskQueue } = testTemporal();
const stopping = new AbortController();
const runs: Run[] = [];
/** Lanes whose key was dismissed. */
const over = new Set<string>();
let connection: NativeConnection;
let client: Client;
let workers: readonly Worker[];
let running: Promise<unknown>;

const hold = (what: string, run: ChainRun): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (error?: Error): void => (error === undefined ? resolve() : reject(error));
    run.signal.addEventListener('abort', () => end(), { once: true });
    runs.push({ what, run, leftMs: run.deadlineMs - performance.now(), end });
  });

const unused = () => Promise.reject(new Error('not part of this test'));

beforeAll(async () => {
  quietSdk();
  connection = await NativeConnection.connect({ address });
  client = createTemporalClient({ address, namespace });
  workers = await createWorkers({
    connection,
    namespace,
    taskQueue,
    profile: 'test',
    bundle: await testBundle(),
    steps: createStepActivities({
      insertDealIntents: unused,
      expireOverdueOffchain: unused,
      decideCancel: unused,
      sendAgain: unused,
      selectTransitions: unused,
      deployer: unused,
      networkTrouble: () => null,
      deployments: {
        nextStep: unused,
        endOf: unused,
        reaches: unused,
        requestedCalls: unused,
        requestCall: unused,
        showWaiting: unused,
        completeStep: unused,
        failStep: unused,
        activateDiamond: unused,
      },
      log: silent,
      failpoint: () => {},
    }),
    inspections: createInspectionActivities({ deployer: unused }),
    retries: createRetryActivities({ runSender: unused, runRetries: unused, stopping: stopping.signal }),
    chain: {
      ...createSenderActivities({
        runSender: (run) => hold('sender', run),
        runRetries: unused,
        stopping: stopping.signal,
      }),
      ...createChainActivities({
        runLane: async ({ accountId }, run) => {
          if (over.has(accountId)) return { isOver: true };
          await hold(accountId, run);
          return { isOver: false };
        },
        runOffers: async (networkId, run) => {
          if (over.has(`offers/${networkId}`)) return { isOver: true };
          await hold(`offers/${networkId}`, run);
          return { isOver: false };
        },
        runWatcher: async (networkId, run) => {
          if (over.has(networkId)) return { isOver: true };
          await hold(networkId, run);
          return { isOver: false };
        },
        stopping: stopping.signal,
      }),
    },
    limits: { cachedWorkflows: 50, activities: 10, localActivities: 10, chainSlots: 10 },
  });
  running = Promise.all(workers.map((worker) => worker.run()));
});

afterAll(async () => {
  stopping.abort();
  for (const worker of workers) worker.shutdown();
  await running;
  await client.connection.close();
  await connection.close();
});

const networkId = randomUUID();
const lane = { id: randomUUID(), networkId, address: hex(20), role: 'operator' };
const wanted: EnsureOptions = {
  client: undefined as never,
  taskQueue,
  profile: 'test',
  networks: [{ id: networkId, name: 'alpha' }],
  lanes: [lane],
};
const ensure = (): Promise<void> => ensureChainWorkflows({ ...wanted, client });
const runsOf = (what: string): Run[] => runs.filter((run) => run.what === what);

it('each network gets one watcher and each account one lane, however often they are requested', async () => {
  await Promise.all([ensure(), ensure(), ensure()]);
  await eventually(() => runsOf(lane.id).length === 1 && runsOf(networkId).length === 1);
  await ensure();
  const description = await client.workflow.getHandle(workflowIds.lane(networkId, lane.address)).describe();
  expect(await description.staticSummary()).toBe(`Lane of operator ${lane.address} on alpha`);
  expect(runs).toHaveLength(2);
});

it('a run that ends is followed by the next, in a new history', async () => {
  const handles = [workflowIds.lane(networkId, lane.address), workflowIds.watchNetwork(networkId)].map((id) =>
    client.workflow.getHandle(id),
  );
  const before = await Promise.all(handles.map(async (handle) => (await handle.describe()).runId));
  runsOf(lane.id)[0]!.end();
  runsOf(networkId)[0]!.end();
  await eventually(() => runsOf(lane.id).length === 2 && runsOf(networkId).length === 2);
  const after = await Promise.all(handles.map(async (handle) => (await handle.describe()).runId));
  expect(after).not.toContain(before[0]);
  expect(after).not.toContain(before[1]);
  const [laneHandle, watchHandle] = handles;
  await saveHistory('lane-continued', client.workflow.getHandle(laneHandle!.workflowId, before[0]));
  await saveHistory('watch-network-continued', client.workflow.getHandle(watchHandle!.workflowId, before[1]));
});

it('a run that lost its lease is retried', async () => {
  const before = runsOf(lane.id).length;
  runsOf(lane.id).at(-1)!.end(new LeaseLostError('the lane'));
  expect(await eventually(() => runsOf(lane.id).length === before + 1)).toBe(true);
});

it('the lane of a dismissed key ends when its work is done, and begins again if the key comes back', async () => {
  const own = { ...lane, id: randomUUID(), address: hex(20) };
  const ensure = () => ensureChainWorkflows({ ...wanted, client, lanes: [own] });
  await ensure();
  await eventually(() => runsOf(own.id).length === 1);
  over.add(own.id);
  runsOf(own.id)[0]!.end();
  const handle = client.workflow.getHandle(workflowIds.lane(networkId, own.address));
  await eventually(async () => (await handle.describe()).status.name === 'COMPLETED');
  over.delete(own.id);
  await ensure();
  expect(await eventually(() => runsOf(own.id).length === 2)).toBe(true);
});

it('the watcher of a network at rest ends, and runs again when the network is taken up again', async () => {
  const own = { id: randomUUID(), name: 'beta' };
  const ensure = () => ensureChainWorkflows({ ...wanted, client, networks: [own], lanes: [] });
  await ensure();
  await eventually(() => runsOf(own.id).length === 1);
  over.add(own.id);
  runsOf(own.id)[0]!.end();
  const handle = client.workflow.getHandle(workflowIds.watchNetwork(own.id));
  await eventually(async () => (await handle.describe()).status.name === 'COMPLETED');
  over.delete(own.id);
  await ensure();
  expect(await eventually(() => runsOf(own.id).length === 2)).toBe(true);
});

it('runs know when to return, and end at once when the process stops', async () => {
  const { run, leftMs } = runsOf(lane.id).at(-1)!;
  expect(leftMs).toBeLessThanOrEqual(30_000);
  expect(leftMs).toBeGreaterThan(0);
  stopping.abort();
  expect(run.signal.aborted).toBe(true);
});
