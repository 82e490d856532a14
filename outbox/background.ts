import type { Log } from '../domain/ports/log.ts';
import { errorName } from '../domain/tools/error-name.ts';
import { createSingleFlight } from '../domain/tools/single-flight.ts';
import { createSpells } from '../domain/tools/spell.ts';

/** Work that no caller waits for. What fails stays in the outbox and is tried again, so the log tells when it begins to fail and when it works again. */
export interface Background {
  run(what: string, work: () => Promise<void>): Promise<void>;
  /** Work that may be asked for at any time: for each key, again until it answers that there is no more. */
  repeated<Key = void>(what: (key: Key) => string, work: (key: Key) => Promise<boolean>): (key: Key) => Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** Keeps count of what is under way, so that it can be waited for at the end. */
export const createBackground = (log: Log): Background => {
  const underWay = new Set<Promise<void>>();
  const troubles = createSpells();

  const run = (what: string, work: () => Promise<void>): Promise<void> => {
    const started = work().then(
      () => troubles.ends(what, () => log.info(`Outbox: ${what} works again`)),
      // A database that is down raises its own alarms; here it only means "later".
      (error: unknown) =>
        troubles.begins(what, () =>
          log.warn(`Outbox: ${what} failed, it will be tried again`, { error: errorName(error) }),
        ),
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
