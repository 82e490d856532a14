import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { Log } from '../domain/ports/log.ts';
import { createSpell } from '../domain/tools/spell.ts';
import { reasonOf } from '../outbox/reason.ts';
import { registerSearchAttributes } from './search-attributes.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Repeats `work` until it succeeds, with growing pauses, and a line when it begins to fail, for another reason, or works again. A worker that starts before its
 * server does has nothing better to do.
 * @throws the last error when the signal aborts
 */
export const untilItWorks = async <Result>(
  what: string,
  work: () => Promise<Result>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<Result> => {
  const trouble = createSpell();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      const result = await work();
      trouble.ends(() => log.info(`${what} works again`));
      return result;
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = reasonOf(error);
      // How long gRPC waited, and for what, is told anew each time, and is no other reason.
      const kind = reason.replace(/ after [\d.]+s.*/s, '');
      trouble.begins(() => log.warn(`${what} failed, trying again`, { reason }), kind);
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }
};

/** Connects the native core once the server answers for the namespace. */
const tryToConnect = async (address: string, namespace: string): Promise<NativeConnection> => {
  const connection = await NativeConnection.connect({ address });
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

/** Waits for Temporal and sees to it that it knows our search attributes. */
export const connectTemporal = async (options: {
  readonly address: string;
  readonly namespace: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<NativeConnection> => {
  const { address, namespace, log } = options;
  const connection = await untilItWorks('Connecting to Temporal', () => tryToConnect(address, namespace), options);
  await untilItWorks(
    'Looking for search attributes',
    () => registerSearchAttributes({ connection, namespace }, log),
    options,
  );
  return connection;
};
