import { inspect } from 'node:util';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogEntry } from '@temporalio/worker';
import type { Log } from '../domain/ports/log.ts';

/** Metadata of the SDK's log entries that helps an operator; the rest is repetition. */
const wanted = ['workflowId', 'workflowType', 'activityType', 'attempt', 'taskQueue'] as const;

const fieldsOf = ({ meta }: LogEntry): Record<string, unknown> => {
  const known = (meta ?? {}) as Record<string, unknown>;
  const { error } = known;
  return {
    ...Object.fromEntries(wanted.filter((key) => key in known).map((key) => [key, known[key]])),
    ...(error === undefined ? {} : { reason: error instanceof Error ? error.message : inspect(error) }),
  };
};

/** What the SDK warns of in a worker such as that of lanes and watchers, which is meant to have no workflows. */
const activitiesOnly = 'No workflows registered, not polling for workflow tasks';

/** Makes the SDK and its native core log through ours. Once per process, before any connection. */
export const installRuntime = (log: Log): void => {
  const logger = new DefaultLogger('WARN', (entry) => {
    if (entry.message === activitiesOnly) return;
    const write = entry.level === 'ERROR' ? log.error : log.warn;
    write(entry.message, fieldsOf(entry));
  });
  Runtime.install({
    logger,
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} } },
    // Signals are the entry point's business.
    shutdownSignals: [],
  });
};
