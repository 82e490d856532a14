import { setTimeout as delay } from 'node:timers/promises';
import type { NotifiedRun } from '../domain/ports/chain-run.ts';
import { pause, repeat } from '../domain/tools/repeat.ts';
import { createDeliveriesInHand, type DeliveriesInHand, type InHandDeps } from './deliveries-in-hand.ts';
import { FEWEST_AT_ONCE } from './receiver-queues.ts';

/**
 * Most deliveries in hand: of all nodes, and of all configurations of one node. A node gets no more than are free for others, so
 * that nodes that hold many always leave some to those that hold few.
 */
const MAX_HELD = 2_048;
const MAX_OF_A_NODE = 512;
/** Longest time between two queries, in milliseconds. */
const POLL_MS = 1_000;
/** Time between two sets of results, in milliseconds. Results that end meanwhile are recorded together. */
const PACE_MS = 25;
/**
 * Pause after a query, as a multiple of its duration, at least and at most so many milliseconds. Events that are committed
 * meanwhile share the next query. A loaded database takes longer and gets longer pauses (tools/bench/README.md).
 */
const REST = { times: 4, least: 6, most: PACE_MS };
/** Milliseconds that deliveries under way get when the process stops, and the longest run. */
const GRACE_MS = 3_000;
const LONGEST_MS = 20_000;

const restAfter = (tookMs: number): number => Math.min(Math.max(REST.times * tookMs, REST.least), REST.most);

/** Dependencies of the sender, beside its flights. */
export interface SenderDeps extends InHandDeps {
  /** Cleanup interval in milliseconds: pending deliveries of disabled configurations, retries without a workflow. */
  readonly tidyMs: number;
}

type Wake = (failing: readonly string[]) => Promise<void>;

/** Wakes the retries of failing configurations, each at most once per cleanup interval. */
const createWaker = ({ store, tidyMs }: SenderDeps): Wake => {
  const woken = new Map<string, number>();
  return async (failing) => {
    const now = performance.now();
    for (const [id, at] of woken) if (now - at >= tidyMs) woken.delete(id);
    const due = failing.filter((id) => !woken.has(id));
    if (due.length === 0) return;
    await store.wakeRetries(due);
    for (const id of due) woken.set(id, now);
  };
};

/** Queries due first attempts and starts them. `no room`: there may be more than could be taken. */
const createLook =
  ({ store }: SenderDeps, flight: DeliveriesInHand, wake: Wake): (() => Promise<'some' | 'none' | 'no room'>) =>
  async () => {
    const holders = flight.holders();
    const held = holders.reduce((sum, holder) => sum + holder.held.length, 0);
    const free = MAX_HELD - held;
    const { due, failing } = await store.dueFirsts(holders, {
      room: FEWEST_AT_ONCE,
      perOwner: Math.min(MAX_OF_A_NODE, free),
      // Several nodes together cannot take all with one query.
      limit: Math.ceil(free / 2),
    });
    await wake(failing);
    flight.begin(due);
    if (due.length > 0) return 'some';
    return held >= MAX_OF_A_NODE || holders.some(({ room }) => room === 0) ? 'no room' : 'none';
  };

/**
 * Makes the first attempts of all deliveries to working receivers, and leaves failed ones to the retries. Only this process knows
 * its deliveries in flight, so after a kill they are still due.
 */
export const createSender = (deps: SenderDeps): ((run: NotifiedRun) => Promise<void>) => {
  const { store, tidyMs } = deps;
  const flight = createDeliveriesInHand(deps);
  const wake = createWaker(deps);
  const look = createLook(deps, flight, wake);
  const looking = async ({ signal, heartbeat, deadlineMs, notified }: NotifiedRun): Promise<void> => {
    while (!signal.aborted && performance.now() < deadlineMs) {
      heartbeat();
      const began = performance.now();
      const room = flight.nextRoom();
      const found = await look();
      const rest = delay(restAfter(performance.now() - began));
      if (found === 'none') await notified.wait(POLL_MS, signal);
      if (found === 'no room') await notified.wait(POLL_MS, AbortSignal.any([signal, room]));
      await rest;
    }
  };

  /** Records results while other attempts are in flight. */
  const recording = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const pace = delay(PACE_MS);
      await flight.record({ wakesRetries: true });
      if (!flight.hasEnded()) await pause(POLL_MS, AbortSignal.any([signal, flight.nextEnd()]));
      await pace;
    }
  };

  /** Runs beside the queries, because a cleanup of large backlogs or locked rows may take minutes. */
  const tidying = (signal: AbortSignal): Promise<void> =>
    repeat(async () => wake(await store.tidy(tidyMs, signal)), { signal, everyMs: tidyMs });

  const finish = async (patienceMs: number, heartbeat: () => void = () => {}): Promise<void> => {
    const until = performance.now() + patienceMs;
    while (!flight.isIdle() && performance.now() < until) {
      heartbeat();
      await flight.record({ wakesRetries: true });
      if (!flight.hasEnded()) await delay(PACE_MS);
    }
  };

  return async (run) => {
    const ending = new AbortController();
    const signal = AbortSignal.any([run.signal, ending.signal]);
    signal.addEventListener('abort', flight.letGo, { once: true });
    const loops = [looking({ ...run, signal }), recording(signal), tidying(signal)];
    const outcomes = await Promise.allSettled(loops.map((loop) => loop.finally(() => ending.abort())));
    // A query under way may have added some.
    flight.letGo();
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    if (run.signal.aborted) return finish(GRACE_MS, run.heartbeat);
    // The next run may be in another process, which does not know these flights. Results that cannot be recorded are sent again.
    void finish(LONGEST_MS).catch(() => undefined);
  };
};
