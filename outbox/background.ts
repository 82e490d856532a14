import type { Log } from '../domain/ports/log.ts';
import { errorName } from '../domain/tools/error-name.ts';
import { createSingleFlight } from '../domain/tools/single-flight.ts';
import { createEpisodes } from '../domain/tools/episode.ts';

/**
 * Work that no caller waits for. Failed rows stay in the outbox and are retried, so the log has only the first failure and the
 * recovery.
 */
export interface Background {
  run(what: string, work: () => Promise<void>): Promise<void>;
  /** Wraps work that may be requested at any time: one run per key at a time, repeated until it returns false. */
  repeated<Key = void>(what: (key: Key) => string, work: (key: Key) => Promise<boolean>): (key: Key) => Promise<void>;
  /** Resolves when all work has ended. */
  idle(): Promise<void>;
}

/** Runs background work and tracks it, so that `idle` can wait for it. */
export const createBackground = (log: Log): Background => {
  const underWay = new Set<Promise<void>>();
  const troubles = createEpisodes();

  const run = (what: string, work: () => Promise<void>): Promise<void> => {
    const started = work().then(
      () => troubles.ends(what, () => log.info(`Outbox: ${what} works again`)),
      // An outage of the database raises its own alarms; here it only delays the work.
      (error: unknown) =>
        troubles.begins(what, () => log.warn(`Outbox: ${what} failed; retrying`, { error: errorName(error) })),
    );
    underWay.add(started);
    void started.finally(() => underWay.delete(started));
    return started;
  };

  return {
    run,
    repeated: <Key>(what: (key: Key) => string, work: (key: Key) => Promise<boolean>) =>
      createSingleFlight(
        (key: Key) =>
          run(what(key), async () => {
            while (await work(key));
          }),
        { late: 'next' },
      ),
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
};
