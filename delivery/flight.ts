import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../domain/ports/log.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery, Holder } from '../domain/ports/deliveries.ts';
import type { Attempt } from './attempt.ts';
import { createLines } from './lines.ts';
import { renderBody } from './render.ts';

/** What the loops of one process share. */
export interface FlightDeps {
  readonly store: DeliveryStore;
  readonly attempt: Attempt;
  /** Gives an address the form that is shown to people. */
  readonly checksum: (address: string) => string;
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
  /** Takes deliveries in hand, each with the body that is kept of its event. What is under way already is left out. */
  begin(due: readonly DueDelivery[]): Promise<void>;
  /** Records what has ended since. */
  record(options: { readonly wakesRetries: boolean }): Promise<void>;
  /** Forgets all of it: who records nothing any more leaves it to be done again. */
  close(): void;
  /** Aborts when the next attempt has ended; at once when one is waiting to be recorded. */
  nextEnd(): AbortSignal;
  /** Aborts when something ends or is recorded from now on: there may be room for more. */
  nextRoom(): AbortSignal;
}

/** Before what somebody else holds is recorded again, in milliseconds. */
const HELD_MS = 50;
/** Results that are recorded in one transaction. */
const MAX_RECORDED = 200;

/** Deliveries with the bodies of their events, made and kept where they were not before. */
export const withBodies = async (
  {
    store,
    checksum,
    log,
  }: Pick<FlightDeps, 'checksum' | 'log'> & { readonly store: Pick<DeliveryStore, 'keepBodies'> },
  due: readonly DueDelivery[],
): Promise<readonly DueDelivery[]> => {
  const events = new Map(due.flatMap(({ event }) => (event === null ? [] : [[event.id, event] as const])));
  if (events.size === 0) return due;
  const made = [...events.values()].flatMap((event) => {
    try {
      return [{ id: event.id, body: renderBody(event, checksum) }];
    } catch (error) {
      log.error('The body of a webhook event can not be made', { event_id: event.id, reason: (error as Error).name });
      return [];
    }
  });
  const kept = await store.keepBodies(made);
  return due.map((delivery) => ({ ...delivery, body: delivery.body ?? kept.get(delivery.eventId) ?? null }));
};

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
  const [ending, room] = [createBell(), createBell()];
  const lines = createLines(deps, (result) => {
    ended.push(result);
    ending.ring();
    room.ring();
  });

  return {
    holders: lines.holders,
    room: lines.room,
    hasEnded: () => ended.length > 0,
    begin: async (due) => {
      const taken = due.filter(lines.take);
      const ready = await withBodies(deps, taken).catch((error: unknown) => {
        for (const { id, receiver } of taken) lines.drop(id, receiver.webhookId);
        throw error;
      });
      lines.begin(ready);
    },
    record: async (options) => {
      const results = ended.splice(0, MAX_RECORDED);
      if (results.length === 0) return;
      try {
        const { disabled, left } = await store.record(results, options);
        for (const { webhookId, reason } of disabled)
          log.warn('A webhook was disabled', { webhook_id: webhookId, reason });
        for (const result of results) if (!left.includes(result)) lines.drop(result.id, result.webhookId);
        ended.push(...left);
        if (left.length === results.length) await delay(HELD_MS);
      } catch (error) {
        ended.unshift(...results);
        throw error;
      }
    },
    close: lines.close,
    nextEnd: () => ending.next(ended.length > 0),
    nextRoom: () => room.next(false),
  };
};
