import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { createChainActivities, createSenderActivities } from '../../activities/runs.ts';
import type { ChainRun } from '../../domain/ports/chain-run.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { ensureChainWorkflows, ensureSender } from '../../workers/ensure.ts';
import { createWorkers } from '../../workers/workers.ts';
import { eventually } from '../support/eventually.ts';
import { hex } from '../support/fixtures.ts';
import { testTemporal } from '../support/temporal.ts';
import { quietSdk, testBundle } from '../support/workflow-worker.ts';

/** A run of each lasts ten minutes, and the sender of webhooks takes its slot of the same queue. */
it('a worker with as many slots as lanes and networks, as docs/operations/sizing.md asks for, runs them and sends webhooks', async () => {
  quietSdk();
  const { address, namespace, taskQueue } = testTemporal();
  const connection = await NativeConnection.connect({ address });
  const client = createTemporalClient({ address, namespace });
  const ending = new AbortController();
  const running = new Set<string>();
  const hold = (what: string, { signal, heartbeat, deadlineMs }: ChainRun): Promise<void> => {
    running.add(what);
    const beat = setInterval(heartbeat, 1_000);
    return new Promise<void>((resolve) => {
      const end = setTimeout(resolve, deadlineMs - performance.now());
      signal.addEventListener('abort', () => {
        clearTimeout(end);
        resolve();
      });
    }).finally(() => clearInterval(beat));
  };
  const runs = {
    stopping: ending.signal,
    runLane: (_account: object, run: ChainRun) => hold('lane', run).then(() => ({ isOver: false })),
    runWatcher: (_id: string, run: ChainRun) => hold('watcher', run).then(() => ({ isOver: false })),
    runOffers: () => Promise.resolve({ isOver: true }),
    runSender: (run: ChainRun) => hold('sender', run),
    runRetries: () => Promise.resolve(null),
  };
  const workers = await createWorkers({
    connection,
    namespace,
    taskQueue,
    profile: 'production',
    bundle: await testBundle(),
    steps: {} as never,
    chain: { ...createChainActivities(runs), ...createSenderActivities(runs) },
    retries: { none: () => Promise.resolve() } as never,
    inspections: { none: () => Promise.resolve() } as never,
    // One network and one lane.
    limits: { cachedWorkflows: 100, activities: 10, localActivities: 10, chainSlots: 2 },
  });
  const ends = Promise.all(workers.map((worker) => worker.run()));
  const starting = { client, taskQueue, profile: 'production' } as const;
  const networkId = randomUUID();
  try {
    await ensureSender(starting);
    await ensureChainWorkflows({
      ...starting,
      networks: [{ id: networkId, name: 'alpha' }],
      lanes: [{ id: randomUUID(), networkId, address: hex(20), role: 'operator' }],
    });
    await eventually(() => running.size === 3, 30_000);
    expect([...running].sort()).toEqual(['lane', 'sender', 'watcher']);
  } finally {
    ending.abort();
    for (const worker of workers) worker.shutdown();
    await ends;
    await client.connection.close();
    await connection.close();
  }
});
