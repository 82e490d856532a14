import type { ChoreWatch } from '../../db/alerts/chores.ts';
import type { Log } from '../../domain/ports/log.ts';
import { errorName } from '../../domain/tools/error-name.ts';

/** Forgets a batch of what is no longer needed; true when there may be more. */
export type Chore = () => Promise<boolean>;

export interface HousekeepingDeps {
  /** By name, for the log. */
  readonly chores: Readonly<Record<string, Chore>>;
  /** Milliseconds between two passes, on the average. */
  readonly everyMs: number;
  readonly watch: ChoreWatch;
  readonly log: Log;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** Batches of one chore in one pass: what is left waits for the next, so that cleaning never becomes the load. */
const MAX_BATCHES = 50;

/**
 * Does the chores again and again, at intervals from half to one and a half of `everyMs`, so that processes that were
 * started together do not go on together. A chore that fails is logged and tried again with the next pass; one that fails again and
 * again is told to operators.
 */
export const keepHouse = ({ chores, everyMs, watch, log, random = Math.random }: HousekeepingDeps) => {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();

  const finish = async (chore: Chore): Promise<void> => {
    for (let batch = 0; batch < MAX_BATCHES && !stopped && (await chore()); batch += 1);
  };

  const work = async (): Promise<void> => {
    for (const [name, chore] of Object.entries(chores)) {
      try {
        await finish(chore);
        await watch.worked(name);
      } catch (error) {
        log.warn('Housekeeping failed', { chore: name, error: errorName(error) });
        await watch.failed(name, error);
      }
    }
  };

  const schedule = (): void => {
    if (stopped) return;
    timer = setTimeout(
      () => {
        pass = work().then(schedule);
      },
      everyMs * (0.5 + random()),
    ).unref();
  };
  schedule();
  return {
    /** Begins nothing new, and waits for the batch under way. */
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await pass;
    },
  };
};
