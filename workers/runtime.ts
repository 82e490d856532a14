import { inspect } from 'node:util';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogEntry } from '@temporalio/worker';
import type { Log } from '../domain/ports/log.ts';

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
