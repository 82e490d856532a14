import type { ChoreWatch } from '../../db/alerts/chores.ts';
import type { Log } from '../../domain/ports/log.ts';
import { errorName } from '../../domain/tools/error-name.ts';
import { createSpells } from '../../domain/tools/spell.ts';

/** Forgets a batch of what is no longer needed; true when there may be more. */
export type Chore = () => Promise<boolean>;

export interface HousekeepingDeps {
  /** By name, for the log. */
  readonly chores: Readonly<Record<string, Chore>>;
  /** Milliseconds until a chore is done again, on the average. */
  readonly everyMs: number;
  /** The same after it has failed, so that an operator is told of one that goes on failing within a minute. */
  readonly againMs?: number;
  readonly watch: ChoreWatch;
  readonly log: Log;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** Batches of one chore at a time: what is left waits for the next, so that cleaning never becomes the load. */
const MAX_BATCHES = 50;
const AGAIN_MS = 10_000;

/**
 * Does each chore again and again, one at a time, at intervals from half to one and a half of `everyMs`, so that processes that
 * were started together do not go on together. One that fails is logged and tried again sooner; one that fails again and again is
 * told to operators.
 */
export const keepHouse = (deps: HousekeepingDeps) => {
  const { chores, everyMs, againMs = AGAIN_MS, watch, log, random = Math.random } = deps;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();

  const troubles = createSpells();

  const timeAfter = (ms: number): number => performance.now() + ms * (0.5 + random());
  const dueAt = new Map(Object.keys(chores).map((name) => [name, timeAfter(everyMs)]));

  const finish = async (chore: Chore): Promise<void> => {
    for (let batch = 0; batch < MAX_BATCHES && !stopped && (await chore()); batch += 1);
  };

  const work = async (): Promise<void> => {
    for (const [name, chore] of Object.entries(chores)) {
      if (stopped || dueAt.get(name)! > performance.now()) continue;
      try {
        await finish(chore);
        await watch.worked(name);
        troubles.ends(name, () => log.info('Housekeeping works again', { chore: name }));
        dueAt.set(name, timeAfter(everyMs));
      } catch (error) {
        troubles.begins(name, () => log.warn('Housekeeping failed', { chore: name, error: errorName(error) }));
        await watch.failed(name, error);
        dueAt.set(name, timeAfter(Math.min(againMs, everyMs)));
      }
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
    /** Begins nothing new, and waits for the batch under way. */
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await pass;
    },
  };
};
