import path from 'node:path';
import { createTemporalClient, type TemporalAddress } from '../../outbox/temporal-client.ts';
import { isWorkerPolling } from '../../workers/connect.ts';
import type { DevSecrets } from '../stack/secrets.ts';
import { root } from '../paths.ts';
import { startProcess, type RunningProcess } from './process.ts';
import { forgetProcess, recordProcess } from './records.ts';

/** Settings of the api and worker of the local stack. */
export interface ProcessSettings {
  readonly stateDir: string;
  readonly records: string;
  readonly databaseUrl: string;
  readonly temporal: TemporalAddress;
  readonly apiPort: number;
  readonly keystoreFile: string;
  readonly secrets: DevSecrets;
  /** Task queue of this stack. Default `carat`. */
  readonly taskQueue?: string;
  /** Additions to the environment, or overrides. */
  readonly environment?: Record<string, string>;
  /** The folder whose api and worker run. This repository by default. */
  readonly folder?: string;
}

/** Origin of the api. */
export const apiUrl = (port: number): string => `http://127.0.0.1:${port}`;

/** Task queue of a stack. */
export const taskQueueOf = ({ taskQueue = 'carat' }: ProcessSettings): string => taskQueue;

const sharedEnvironment = (settings: ProcessSettings): NodeJS.ProcessEnv => ({
  ...process.env,
  CARAT_DATABASE_URL: settings.databaseUrl,
  CARAT_TEMPORAL_ADDRESS: settings.temporal.address,
  CARAT_TEMPORAL_NAMESPACE: settings.temporal.namespace,
  CARAT_TASK_QUEUE: taskQueueOf(settings),
  CARAT_MASTER_KEY: settings.secrets.masterKey,
  // A merchant's server under development has no certificate and no public address.
  CARAT_WEBHOOK_HOSTS: 'loopback',
  // As in the Dockerfile.
  MALLOC_ARENA_MAX: '2',
});

/** Starts the api and waits until it can serve requests. */
export const startApi = (settings: ProcessSettings): Promise<RunningProcess> =>
  startNode('api', 'api/server.ts', settings, {
    environment: {
      CARAT_API_HOST: '127.0.0.1',
      CARAT_API_PORT: String(settings.apiPort),
      CARAT_PUBLIC_URL: apiUrl(settings.apiPort),
      // Experiments and benches come from one address with one integration.
      CARAT_RATE_LIMIT: process.env.CARAT_RATE_LIMIT ?? '0',
      CARAT_IP_RATE_LIMIT: process.env.CARAT_IP_RATE_LIMIT ?? '0',
    },
    isReady: async () => {
      const answer = await fetch(`${apiUrl(settings.apiPort)}/readyz`, { signal: AbortSignal.timeout(2_000) });
      return answer.ok;
    },
  });

/** Starts the worker and waits until it polls Temporal. */
export const startWorker = (settings: ProcessSettings): Promise<RunningProcess> =>
  startNode('worker', 'workers/main.ts', settings, {
    flags: workerFlags,
    environment: {
      CARAT_KEYSTORE: settings.keystoreFile,
      CARAT_KEYSTORE_PASSPHRASE: settings.secrets.keystorePassphrase,
      // CARAT_METRICS_PORT is the api's, because both are on one machine.
      CARAT_METRICS_PORT: process.env.CARAT_WORKER_METRICS_PORT ?? '0',
    },
    isReady: async (pid) => {
      const client = createTemporalClient(settings.temporal);
      try {
        return await isWorkerPolling(client, {
          taskQueue: taskQueueOf(settings),
          isIt: (identity) => identity.startsWith(`${pid}@`),
        });
      } finally {
        await client.connection.close();
      }
    },
  });

interface NodeProcess {
  readonly flags?: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly isReady: (pid: number) => Promise<boolean>;
}

/**
 * As in docker-compose.yml. V8 gives each of the worker's threads a young generation of up to 64 MiB, and keeps the pages that it
 * frees: a worker beside slow webhooks had 879 MiB with the default of 32 MiB a half, 585 MiB with 8.
 */
const workerFlags = ['--max-semi-space-size=8'];

const startNode = async (
  name: string,
  file: string,
  settings: ProcessSettings,
  { flags = [], environment, isReady }: NodeProcess,
): Promise<RunningProcess> => {
  let spawned = 0;
  const running = await startProcess({
    name: `the ${name}`,
    command: process.execPath,
    args: [...flags, file],
    cwd: settings.folder ?? root,
    env: { ...sharedEnvironment(settings), ...environment, ...settings.environment },
    logFile: path.join(settings.stateDir, 'logs', `${name}.log`),
    // A lane finishes its tick and a request its answer.
    graceMs: 20_000,
    isReady: () => isReady(spawned),
    onSpawn: (pid) => {
      spawned = pid;
      recordProcess(settings.records, name, pid);
    },
  });
  void running.exited.then(() => forgetProcess(settings.records, running.pid));
  return running;
};
