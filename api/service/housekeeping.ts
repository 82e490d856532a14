import { createChoreRunner, type ChoreWatch } from '../../db/alerts/chores.ts';
import type { Log } from '../../domain/ports/log.ts';

/** Deletes one batch of obsolete rows; true when there may be more. */
export type Chore = () => Promise<boolean>;

export interface HousekeepingDeps {
  /** By name, for the log. */
  readonly chores: Readonly<Record<string, Chore>>;
  /** Average interval of each chore, in milliseconds. */
  readonly everyMs: number;
  /**
   * Average interval after a failure, in milliseconds, so that a chore that keeps failing reaches the operator within a
   * minute.
   */
  readonly againMs?: number;
  readonly watch: ChoreWatch;
  readonly log: Log;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** Maximum batches of a chore per run, so that cleanup never becomes the load. The rest waits for the next run. */
const MAX_BATCHES = 50;
const AGAIN_MS = 10_000;

/**
 * Runs each chore periodically, one at a time, at intervals of 0.5 to 1.5 times `everyMs`, so that processes started
 * together drift apart. A failed chore is logged and retried sooner; repeated failures raise an alert.
 */
export const startHousekeeping = (deps: HousekeepingDeps) => {
  const { chores, everyMs, againMs = AGAIN_MS, watch, log, random = Math.random } = deps;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();

  const run = createChoreRunner(watch, log, { works: 'Housekeeping works again', fails: 'Housekeeping failed' });

  const timeAfter = (ms: number): number => performance.now() + ms * (0.5 + random());
  const dueAt = new Map(Object.keys(chores).map((name) => [name, timeAfter(everyMs)]));

  const finish = async (chore: Chore): Promise<void> => {
    for (let batch = 0; batch < MAX_BATCHES && !stopped && (await chore()); batch += 1);
  };

  const work = async (): Promise<void> => {
    for (const [name, chore] of Object.entries(chores)) {
      if (stopped || dueAt.get(name)! > performance.now()) continue;
      const hasWorked = await run(name, () => finish(chore));
      dueAt.set(name, timeAfter(hasWorked ? everyMs : Math.min(againMs, everyMs)));
    }
  };

  const schedule = (): void => {
    if (stopped) return;
    timer = setTimeout(
      () => {
        pass = work().then(schedule);
      },
      Math.min(...dueAt.values()) - performance.now(),
    ).unref();
  };
  schedule();
  return {
    /** Starts nothing new, and waits for the batch in flight. */
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await pass;
    },
  };
};
