import { setTimeout as delay } from 'node:timers/promises';
import type { ChainRun } from '../domain/ports/chain-run.ts';
import { createFlight, type FlightDeps } from './flight.ts';

const POLL_MS = 1_000;
/**
 * Between two looks at least, in milliseconds. A receiver that fails at once is given a few at a time until one of them
 * arrives. A neighbour's deals waited 2.6 times as long beside sixteen dead ones that were looked at every 200 ms, and 1.1 times
 * beside the same at every second (`npm run bench:victim`).
 */
const PACE_MS = 1_000;
/** The same once one of them has arrived: who refuses some of what it gets makes progress, and is behind already. */
const PACE_OF_TAKEN_MS = 200;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

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
        const pace = Promise.all([delay(PACE_OF_TAKEN_MS), pause(PACE_MS, flight.nextArrival())]);
        await pause(POLL_MS, flight.nextEnd());
        await pace;
      }
      const next = await store.nextDueMs(webhookId);
      // What is due and was not begun is under way elsewhere in this process.
      return next === 0 && !isEnding() ? POLL_MS : next;
    } finally {
      flight.close();
    }
  };
