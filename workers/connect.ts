import { NativeConnection } from '@temporalio/worker';
import type { Log } from '../domain/ports/log.ts';
import { pause } from '../domain/tools/repeat.ts';
import { createEpisode } from '../domain/tools/episode.ts';
import { reasonOf } from '../outbox/error-reason.ts';
import { registerSearchAttributes } from '../outbox/search-attributes.ts';
import type { TemporalAddress } from '../outbox/temporal-client.ts';

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
