import { setTimeout as delay } from 'node:timers/promises';
import type { NotifiedRun } from '../domain/ports/chain-run.ts';
import { createFlight, type FlightDeps } from './flight.ts';

/** Attempts under way at once: to one configuration, and in all. */
const LIMITS = { perReceiver: 32, limit: 1_024 };
/** Between two looks when nothing happens, and at least, in milliseconds. What comes within the latter goes in one set. */
const POLL_MS = 1_000;
const PACE_MS = 10;
/** For what is under way when the process stops, in milliseconds. */
const GRACE_MS = 3_000;

/** What the sender needs besides. */
export interface SenderDeps extends FlightDeps {
  /** How often is looked for what lies about: pending of disabled configurations, retries that nobody follows. */
  readonly tidyMs: number;
}

/**
 * Makes the first attempts of all deliveries, to every receiver that takes them. One that fails is left to its retries. What
 * is under way is known to this process alone: after a kill it is due still.
 */
export const createSender = (deps: SenderDeps): ((run: NotifiedRun) => Promise<void>) => {
  const { store, tidyMs } = deps;
  const flight = createFlight(deps);
  /** When the retries of each failing configuration were last woken. */
  const woken = new Map<string, number>();
  let tidyAt = 0;

  const wake = async (failing: readonly string[]): Promise<void> => {
    const now = Date.now();
    for (const [id, at] of woken) if (now - at >= tidyMs) woken.delete(id);
    const due = failing.filter((id) => !woken.has(id));
    if (due.length === 0) return;
    await store.wakeRetries(due);
    for (const id of due) woken.set(id, now);
  };

  const tidy = async (): Promise<void> => {
    if (Date.now() < tidyAt) return;
    tidyAt = Date.now() + tidyMs;
    await wake(await store.tidy(tidyMs));
  };

  /** @returns whether there was something to send */
  const look = async (): Promise<boolean> => {
    await flight.record({ wakesRetries: true });
    await tidy();
    const limit = LIMITS.limit - [...flight.busy.values()].reduce((sum, ids) => sum + ids.size, 0);
    const { due, failing } = await store.dueFirsts(flight.busy, { ...LIMITS, limit });
    await wake(failing);
    await flight.begin(due);
    return due.length > 0;
  };

  const finish = async ({ heartbeat }: NotifiedRun): Promise<void> => {
    const until = Date.now() + GRACE_MS;
    while (flight.busy.size > 0 && Date.now() < until) {
      heartbeat();
      await delay(POLL_MS / 10, undefined, { signal: flight.nextEnd() }).catch(() => undefined);
      await flight.record({ wakesRetries: true });
    }
  };

  return async (run) => {
    while (!run.signal.aborted && Date.now() < run.deadlineMs) {
      run.heartbeat();
      const pace = delay(PACE_MS);
      const found = await look();
      if (!found && !flight.hasEnded()) {
        await run.notified.wait(POLL_MS, AbortSignal.any([run.signal, flight.nextEnd()]));
      }
      await pace;
    }
    if (run.signal.aborted) await finish(run);
  };
};
