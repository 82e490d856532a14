import { setTimeout as delay } from 'node:timers/promises';
import type { ChainRun } from '../domain/ports/chain-run.ts';
import { pause } from '../domain/tools/repeat.ts';
import { createDeliveriesInHand, type InHandDeps } from './deliveries-in-hand.ts';
import { PUT_OFF_MS } from './receiver-queues.ts';

const POLL_MS = 1_000;
/**
 * Shortest pause between two queries, in milliseconds, until a delivery arrives. Beside sixteen dead receivers, the deals of
 * another merchant took 2.6 times as long with a pause of 200 ms, and 1.1 times with a second (`npm run bench:victim`).
 */
const PACE_MS = 1_000;
/**
 * The same once a delivery arrives: a receiver that takes some makes progress, and has a backlog. The runs of one node share
 * this pace, because a node may have 200 webhooks that take a part.
 */
const PACE_OF_TAKEN_MS = 200;

/**
 * While a process has more runs than this, each run stops taking deliveries after so many milliseconds. Otherwise the hanging receivers
 * of a few merchants hold all slots, and the retries of others wait.
 */
const CROWD = 200;
const CROWDED_MS = 5_000;

/** Counts the runs of each node. */
const createShares = () => {
  const runs = new Map<string, number>();
  return () => {
    let owner = '';
    const count = (): number => runs.get(owner) ?? 0;
    return {
      /** Counts the run of a node, once. */
      join: (ownerId: string): void => {
        if (owner !== '') return;
        owner = ownerId;
        runs.set(owner, count() + 1);
      },
      leave: (): void => {
        if (count() > 1) runs.set(owner, count() - 1);
        else runs.delete(owner);
      },
      paceOfTaken: (): number => Math.min(PACE_MS, PACE_OF_TAKEN_MS * count()),
    };
  };
};

/**
 * Sends the due deliveries of one failing configuration: retries, and its first attempts while it fails. A run sends
 * nothing while the database refuses writes, because it could not record what was sent.
 * @returns milliseconds until the next one is due; null when there is none
 */
export const createRetries = (
  deps: InHandDeps,
  crowd = CROWD,
): ((webhookId: string, run: ChainRun) => Promise<number | null>) => {
  const { store } = deps;
  const newShare = createShares();
  let runs = 0;
  return async (webhookId, { signal, heartbeat, deadlineMs }) => {
    const flight = createDeliveriesInHand(deps);
    const share = newShare();
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
      for (const { receiver } of due) share.join(receiver.ownerId);
      flight.begin(due);
      return isIdle && due.length === 0;
    };

    try {
      await store.requireWritable(webhookId);
      while (!(await look()) && !signal.aborted) {
        const pace = Promise.all([delay(share.paceOfTaken()), pause(PACE_MS, flight.nextArrival())]);
        await pause(POLL_MS, flight.nextEnd());
        await pace;
      }
      const putOff = flight.putOff();
      const next = await store.nextDueMs(webhookId, putOff);
      if (putOff.length > 0 && (next === null || next > PUT_OFF_MS)) return PUT_OFF_MS;
      if (next !== 0 || isEnding()) return next;
      // Any due delivery that was not started is in flight elsewhere in this process.
      return POLL_MS;
    } finally {
      runs -= 1;
      share.leave();
      flight.close();
    }
  };
};
