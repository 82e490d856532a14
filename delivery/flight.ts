import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../domain/ports/log.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery, Holder } from '../domain/ports/deliveries.ts';
import type { Attempt } from './attempt.ts';
import { createLines } from './lines.ts';
import { tellOfReceivers } from './tell.ts';

/** What the loops of one process share. */
export interface FlightDeps {
  readonly store: DeliveryStore;
  readonly attempt: Attempt;
  /** Deliveries under way in this process, whichever loop has them. */
  readonly underWay: Set<string>;
  readonly log: Log;
}

/** What one loop has in hand: deliveries that wait for their turn or are under way, and results that are not recorded yet. */
export interface Flight {
  /** Whose deliveries are in hand, and how many more each would take. */
  holders(): Holder[];
  /** How many deliveries of a configuration would be taken in hand now. */
  room(webhookId: string): number;
  /** True while something is to be recorded. */
  hasEnded(): boolean;
  /** Takes deliveries in hand. What is under way already is left out. */
  begin(due: readonly DueDelivery[]): void;
  /**
   * Records what has ended since.
   * @throws what kept an attempt from being made
   */
  record(options: { readonly wakesRetries: boolean }): Promise<void>;
  /** Begins nothing more of what is in hand: somebody else may have the next run. */
  letGo(): void;
  /** Forgets all of it: who records nothing any more leaves it to be done again. */
  close(): void;
  /** Aborts when the next attempt has ended; at once when one is waiting to be recorded. */
  nextEnd(): AbortSignal;
  /** Aborts when the next attempt has arrived that is no test; at once when one is waiting to be recorded. */
  nextArrival(): AbortSignal;
  /** Aborts when something ends or is recorded from now on: there may be room for more. */
  nextRoom(): AbortSignal;
}

/** Pause before a result is recorded again whose row another process holds, in milliseconds. */
export const HELD_MS = 50;
/** Results that are recorded in one transaction. */
const MAX_RECORDED = 200;

const hasArrived = ({ outcome, isTest }: DeliveryResult): boolean => outcome === 'delivered' && !isTest;

/** A signal that is made anew once it has been used. */
const createBell = () => {
  let bell = new AbortController();
  return {
    // Without a reason, each would make an error with its stack.
    ring: (): void => bell.abort(true),
    next: (isRung: boolean): AbortSignal => {
      if (!isRung && bell.signal.aborted) bell = new AbortController();
      return bell.signal;
    },
  };
};

/** Keeps count of the attempts of one loop. */
export const createFlight = (deps: FlightDeps): Flight => {
  const { store, log } = deps;
  const ended: DeliveryResult[] = [];
  const [ending, arrival, room] = [createBell(), createBell(), createBell()];
  let trouble: { readonly error: unknown } | null = null;
  const tell = (): void => {
    ending.ring();
    room.ring();
  };
  const lines = createLines({
    ...deps,
    ended: (result) => {
      ended.push(result);
      if (hasArrived(result)) arrival.ring();
      tell();
    },
    dropped: tell,
    failed: (error) => {
      trouble ??= { error };
      tell();
    },
  });
  const hasEnded = (): boolean => ended.length > 0 || trouble !== null;

  return {
    holders: lines.holders,
    room: lines.room,
    hasEnded,
    begin: (due) => lines.begin(due.filter(lines.take)),
    record: async (options) => {
      if (trouble !== null) {
        const { error } = trouble;
        trouble = null;
        throw error;
      }
      const results = ended.splice(0, MAX_RECORDED);
      if (results.length === 0) return;
      try {
        const { left, ...recorded } = await store.record(results, options);
        tellOfReceivers(log, recorded);
        for (const result of results) if (!left.includes(result)) lines.drop(result.id, result.webhookId);
        ended.push(...left);
        room.ring();
        if (left.length === results.length) await delay(HELD_MS);
      } catch (error) {
        ended.unshift(...results);
        throw error;
      }
    },
    letGo: lines.letGo,
    close: lines.close,
    nextEnd: () => ending.next(hasEnded()),
    nextArrival: () => arrival.next(ended.some(hasArrived)),
    nextRoom: () => room.next(false),
  };
};
