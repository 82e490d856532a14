import { inspect } from 'node:util';
import type { Client } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogEntry, NativeConnection } from '@temporalio/worker';
import type { Log } from '../domain/ports/log.ts';
import { createEpisode } from '../domain/tools/episode.ts';
import { pause } from '../domain/tools/repeat.ts';
import { registerSearchAttributes, type TemporalAddress } from '../outbox/temporal-client.ts';
import { reasonOf } from '../outbox/temporal-errors.ts';

/** Metadata of the SDK's log entries that helps operators; the rest is redundant. */
const wanted = ['workflowId', 'workflowType', 'activityType', 'attempt', 'taskQueue'] as const;

const fieldsOf = ({ meta }: LogEntry): Record<string, unknown> => {
  const known = (meta ?? {}) as Record<string, unknown>;
  const { error } = known;
  return {
    ...Object.fromEntries(wanted.filter((key) => key in known).map((key) => [key, known[key]])),
    ...(error === undefined ? {} : { reason: error instanceof Error ? error.message : inspect(error) }),
  };
};

/** Names of the SDK's metrics as Prometheus wants them: durations in seconds, with units. */
const names = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };

/** The SDK's warning about a worker without workflows; that of lanes and watchers, for example, should have none. */
const activitiesOnly = 'No workflows registered, not polling for workflow tasks';

/**
 * Makes the SDK and its native core write to this log, and serve its metrics at this address. Call it once per process, before
 * any connection.
 */
export const installRuntime = (log: Log, metricsAt: string | null = null): void => {
  const logger = new DefaultLogger('WARN', (entry) => {
    if (entry.message === activitiesOnly) return;
    const write = entry.level === 'ERROR' ? log.error : log.warn;
    write(entry.message, fieldsOf(entry));
  });
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsAt === null ? {} : { metrics: { prometheus: { bindAddress: metricsAt, ...names } } }),
    },
    // The entry point handles signals.
    shutdownSignals: [],
  });
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Repeats `work` with exponential backoff until it succeeds. It logs when the work begins to fail, fails for another
 * reason, and works again.
 * @throws the last error when the signal aborts
 */
export const untilItWorks = async <Result>(
  what: string,
  work: () => Promise<Result>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<Result> => {
  const trouble = createEpisode();
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    try {
      const result = await work();
      trouble.ends(() => log.info(`${what} works again`));
      return result;
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = reasonOf(error);
      // The time that gRPC waited differs each time and makes no other reason.
      const kind = reason.replace(/ after [\d.]+s.*/s, '');
      trouble.begins(() => log.warn(`${what} failed, trying again`, { reason }), kind);
      await pause(ms, signal);
    }
  }
};

/** Connects the native core, and verifies that the server knows the namespace. */
const tryToConnect = async ({ namespace, ...access }: TemporalAddress): Promise<NativeConnection> => {
  const connection = await NativeConnection.connect(access);
  try {
    await connection.withDeadline(Date.now() + 5_000, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
};

/** Waits for Temporal and registers Carat's search attributes. */
export const connectTemporal = async (options: {
  readonly temporal: TemporalAddress;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<NativeConnection> => {
  const { temporal, log } = options;
  const { namespace } = temporal;
  const connection = await untilItWorks('Connecting to Temporal', () => tryToConnect(temporal), options);
  await untilItWorks(
    'Registering search attributes',
    () => registerSearchAttributes({ connection, namespace }, log),
    options,
  );
  return connection;
};

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
