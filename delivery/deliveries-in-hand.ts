import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../domain/ports/log.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery, Holder } from '../domain/ports/deliveries.ts';
import { errorName } from '../domain/tools/error-name.ts';
import type { AttemptDelivery } from './attempt.ts';
import { createReceiverQueues } from './receiver-queues.ts';
import { logReceivers } from './log-receivers.ts';

/** The state that the loops of one process share. */
export interface InHandDeps {
  readonly store: DeliveryStore;
  readonly attempt: AttemptDelivery;
  /** Ids of the deliveries in hand in this process, of all its loops. */
  readonly underWay: Set<string>;
  readonly log: Log;
}

/** The deliveries of one loop: waiting, in flight, or with a result that is not recorded yet. */
export interface DeliveriesInHand {
  /** The configurations that have deliveries in hand, or had some shortly before, and how many more each would take. */
  holders(): Holder[];
  /** True while no delivery is in hand, apart from those that are put off. */
  isIdle(): boolean;
  /** Ids of the deliveries that are put off because Carat cannot send them. */
  putOff(): string[];
  /** How many more deliveries of a configuration would be taken now. */
  room(webhookId: string): number;
  /** True while a result or an error waits for `record`. */
  hasEnded(): boolean;
  /** Takes deliveries in hand. Skips those that are in hand already. */
  begin(due: readonly DueDelivery[]): void;
  /**
   * Records the results since the last call.
   * @throws the error that prevented an attempt
   */
  record(options: { readonly wakesRetries: boolean }): Promise<void>;
  /** Drops the waiting deliveries, because another process may have the next run. */
  letGo(): void;
  /** Drops everything. Deliveries without a recorded result are sent again. */
  close(): void;
  /** Aborts when the next attempt ends; at once when a result waits for `record`. */
  nextEnd(): AbortSignal;
  /** Aborts when the next attempt that is not a test is delivered; at once when such a result waits for `record`. */
  nextArrival(): AbortSignal;
  /** Aborts when the next attempt ends or the next result is recorded, because that may make room. */
  nextRoom(): AbortSignal;
}

/** Pause before results whose rows were locked elsewhere are recorded again, in milliseconds. */
export const HELD_MS = 50;
/** Most results per transaction. */
const MAX_RECORDED = 200;

const hasArrived = ({ outcome, isTest }: DeliveryResult): boolean => outcome === 'delivered' && !isTest;

/** An abort signal that is replaced after it has fired. */
const createBell = () => {
  let bell = new AbortController();
  return {
    // Without a reason, every abort would build an error with a stack.
    ring: (): void => bell.abort(true),
    next: (isRung: boolean): AbortSignal => {
      if (!isRung && bell.signal.aborted) bell = new AbortController();
      return bell.signal;
    },
  };
};

/** Tracks the attempts of one loop. */
export const createDeliveriesInHand = (
  deps: Omit<InHandDeps, 'store'> & { readonly store: Pick<DeliveryStore, 'record'> },
): DeliveriesInHand => {
  const { store, log } = deps;
  const ended: DeliveryResult[] = [];
  const [ending, arrival, room] = [createBell(), createBell(), createBell()];
  let trouble: { readonly error: unknown } | null = null;
  const tell = (): void => {
    ending.ring();
    room.ring();
  };
  const queues = createReceiverQueues({
    ...deps,
    ended: (result) => {
      ended.push(result);
      if (hasArrived(result)) arrival.ring();
      tell();
    },
    dropped: tell,
    putOff: ({ id, eventId, receiver: { webhookId } }, error) => {
      log.error('A webhook delivery cannot be sent; it is put off', {
        delivery_id: id,
        event_id: eventId,
        webhook_id: webhookId,
        error: errorName(error),
      });
      tell();
    },
    failed: (error) => {
      trouble ??= { error };
      tell();
    },
  });
  const hasEnded = (): boolean => ended.length > 0 || trouble !== null;

  return {
    holders: queues.holders,
    isIdle: queues.isIdle,
    putOff: queues.putOff,
    room: queues.room,
    hasEnded,
    begin: (due) => {
      queues.resume();
      queues.begin(due.filter(queues.take));
    },
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
        logReceivers(log, recorded);
        for (const result of results) if (!left.includes(result)) queues.drop(result.id, result.webhookId);
        ended.push(...left);
        room.ring();
        if (left.length === results.length) await delay(HELD_MS);
      } catch (error) {
        ended.unshift(...results);
        throw error;
      }
    },
    letGo: queues.letGo,
    close: queues.close,
    nextEnd: () => ending.next(hasEnded()),
    nextArrival: () => arrival.next(ended.some(hasArrived)),
    nextRoom: () => room.next(false),
  };
};
