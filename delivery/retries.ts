import { setTimeout as delay } from 'node:timers/promises';
import type { ChainRun } from '../domain/ports/chain-run.ts';
import { createFlight, type FlightDeps } from './flight.ts';

const POLL_MS = 1_000;
/**
 * Between two looks at least, in milliseconds. A receiver that fails at once is given a few at a time, and each few cost a
 * transaction: without a pace a dead one keeps the database busy for as long as it has a backlog.
 */
const PACE_MS = 200;

/**
 * Brings one failing configuration what is due: retries, and while it fails also first attempts.
 * @returns milliseconds until there is more; null when there is nothing to wait for
 */
export const createRetries =
  (deps: FlightDeps): ((webhookId: string, run: ChainRun) => Promise<number | null>) =>
  async (webhookId, { signal, heartbeat, deadlineMs }) => {
    const { store } = deps;
    const flight = createFlight(deps);
    const isEnding = (): boolean => signal.aborted || Date.now() >= deadlineMs;

    /** @returns whether there is nothing to do now */
    const look = async (): Promise<boolean> => {
      heartbeat();
      await flight.record({ wakesRetries: false });
      const isIdle = flight.holders().length === 0;
      const room = flight.room(webhookId);
      if (isEnding() || room <= 0) return isIdle;
      const due = await store.dueOf(webhookId, [...deps.underWay], room);
      flight.begin(due);
      return isIdle && due.length === 0;
    };

    try {
      while (!(await look()) && !signal.aborted) {
        const pace = delay(PACE_MS);
        await delay(POLL_MS, undefined, { signal: flight.nextEnd() }).catch(() => undefined);
        await pace;
      }
      const next = await store.nextDueMs(webhookId);
      // What is due and was not begun is under way elsewhere in this process.
      return next === 0 && !isEnding() ? POLL_MS : next;
    } finally {
      flight.close();
    }
  };
