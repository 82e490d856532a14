import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryStore } from '../db/webhooks/delivery-store.ts';
import type { Recorded, DeliveryResult, DueDelivery } from '../domain/ports/deliveries.ts';
import type { Log } from '../domain/ports/log.ts';
import { errorName } from '../domain/tools/error-name.ts';
import type { AttemptDelivery } from './attempt.ts';
import { createReceiverQueues } from './receiver-queues.ts';

/** Logs each webhook that starts to fail, recovers or is disabled, but not the single attempts. */
export const logReceivers = (log: Log, { turned, disabled }: Pick<Recorded, 'turned' | 'disabled'>): void => {
  for (const { webhookId, isFailing } of turned) {
    if (isFailing) log.warn('A webhook started to fail', { webhook_id: webhookId });
    else log.info('A webhook recovered', { webhook_id: webhookId });
  }
  for (const { webhookId, reason } of disabled) log.warn('A webhook was disabled', { webhook_id: webhookId, reason });
};

/** The state that the loops of one process share. */
export interface InHandDeps {
  readonly store: DeliveryStore;
  readonly attempt: AttemptDelivery;
  /** Ids of the deliveries in hand in this process, of all its loops. */
  readonly underWay: Set<string>;
  readonly log: Log;
}

/** Pause before results whose rows were locked elsewhere are recorded again, in milliseconds. */
const HELD_MS = 50;
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

/** The deliveries of one loop: waiting, in flight, or with a result that is not recorded yet. */
export type DeliveriesInHand = ReturnType<typeof createDeliveriesInHand>;

/** Tracks the attempts of one loop. */
export const createDeliveriesInHand = (
  deps: Omit<InHandDeps, 'store'> & { readonly store: Pick<DeliveryStore, 'record'> },
) => {
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
    /** True while a result or an error waits for `record`. */
    hasEnded,
    /** Takes deliveries in hand. Skips those that are in hand already. */
    begin: (due: readonly DueDelivery[]): void => {
      queues.resume();
      queues.begin(due.filter(queues.take));
    },
    /**
     * Records the results since the last call.
     * @throws the error that prevented an attempt
     */
    record: async (options: { readonly wakesRetries: boolean }): Promise<void> => {
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
    /** Aborts when the next attempt ends; at once when a result waits for `record`. */
    nextEnd: (): AbortSignal => ending.next(hasEnded()),
    /** Aborts when the next attempt that is not a test is delivered; at once when such a result waits for `record`. */
    nextArrival: (): AbortSignal => arrival.next(ended.some(hasArrived)),
    /** Aborts when the next attempt ends or the next result is recorded, because that may make room. */
    nextRoom: (): AbortSignal => room.next(false),
  };
};
