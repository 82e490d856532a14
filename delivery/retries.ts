import { setTimeout as delay } from 'node:timers/promises';
import type { ChainRun } from '../domain/ports/chain-run.ts';
import { createFlight, type FlightDeps } from './flight.ts';
import { PUT_OFF_MS } from './lines.ts';

const POLL_MS = 1_000;
/**
 * Shortest pause between two queries, in milliseconds, until a delivery arrives. Beside sixteen dead receivers, the deals of
 * another merchant took 2.6 times as long with a pause of 200 ms, and 1.1 times with a second (`npm run bench:victim`).
 */
const PACE_MS = 1_000;
/** The same once a delivery arrives: a receiver that takes some makes progress, and has a backlog. */
const PACE_OF_TAKEN_MS = 200;

/**
 * While a process has more runs than this, each run stops taking deliveries after so many milliseconds. Otherwise the hanging receivers
 * of a few merchants hold all slots, and the retries of others wait.
 */
const CROWD = 200;
const CROWDED_MS = 5_000;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

/**
 * Sends the due deliveries of one failing configuration: retries, and its first attempts while it fails. A run sends
 * nothing while the database refuses writes, because it could not record what was sent.
 * @returns milliseconds until the next one is due; null when there is none
 */
export const createRetries = (
  deps: FlightDeps,
  crowd = CROWD,
): ((webhookId: string, run: ChainRun) => Promise<number | null>) => {
  const { store } = deps;
  let runs = 0;
  return async (webhookId, { signal, heartbeat, deadlineMs }) => {
    const flight = createFlight(deps);
    const crowdedAt = performance.now() + CROWDED_MS;
    const isEnding = (): boolean =>
      signal.aborted || performance.now() >= (runs > crowd ? Math.min(crowdedAt, deadlineMs) : deadlineMs);
    runs += 1;

    /** @returns true when nothing is due or in hand */
    const look = async (): Promise<boolean> => {
      heartbeat();
      await flight.record({ wakesRetries: false });
      const isIdle = flight.isIdle();
      const room = flight.room(webhookId);
      if (isEnding() || room <= 0) return isIdle;
      const due = await store.dueOf(webhookId, [...deps.underWay], room);
      flight.begin(due);
      return isIdle && due.length === 0;
    };

    try {
      await store.requireWritable(webhookId);
      while (!(await look()) && !signal.aborted) {
        const pace = Promise.all([delay(PACE_OF_TAKEN_MS), pause(PACE_MS, flight.nextArrival())]);
        await pause(POLL_MS, flight.nextEnd());
        await pace;
      }
      const next = await store.nextDueMs(webhookId);
      if (next !== 0 || isEnding()) return next;
      // Any other due delivery that was not started is in flight elsewhere in this process.
      return flight.hasPutOff() ? PUT_OFF_MS : POLL_MS;
    } finally {
      runs -= 1;
      flight.close();
    }
  };
};
