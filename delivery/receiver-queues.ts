import type { DeliveryResult, DueDelivery, Holder } from '../domain/ports/deliveries.ts';
import { UnsendableError, type AttemptDelivery } from './attempt.ts';

/** The deliveries in hand of one configuration. */
interface ReceiverQueue {
  /** Ids of all deliveries in hand: waiting, in flight, or not recorded yet. */
  readonly held: Set<string>;
  readonly waiting: DueDelivery[];
  /** Deliveries in hand that Carat cannot send for now, with the time of their next attempt by the clock of the queues. */
  readonly putOff: Map<string, number>;
  active: number;
  /** Deliveries that the receiver took since it last failed or was idle. */
  taken: number;
  /** When its last delivery was recorded, by the clock of the queues; null while some are in hand. */
  emptyAt: number | null;
}

const newQueue = (): ReceiverQueue => ({
  held: new Set(),
  waiting: [],
  putOff: new Map(),
  active: 0,
  taken: 0,
  emptyAt: null,
});

/** Concurrent attempts to one receiver: at first, and at most. Each delivery that it takes adds one. */
export const FEWEST_AT_ONCE = 4;
const MOST_AT_ONCE = 32;
/** Deliveries in hand of a working receiver, in multiples of its concurrent attempts, to cover the time of a query. */
const AHEAD = 2;

/**
 * Milliseconds for which a queue without deliveries remembers the pace of its receiver. A fast receiver empties its queue before
 * the next query; if that forgot it, each query would find four again.
 */
const REMEMBERED_MS = 2_000;

/** Milliseconds until the next attempt of a delivery that Carat cannot send. */
export const PUT_OFF_MS = 60_000;
/** Most such deliveries of one receiver. With more, its other deliveries wait too. */
const MOST_PUT_OFF = 64;

const atOnce = ({ taken }: ReceiverQueue): number => Math.min(MOST_AT_ONCE, FEWEST_AT_ONCE + taken);

const roomOf = (queue: ReceiverQueue): number => {
  const most = queue.taken === 0 ? FEWEST_AT_ONCE : AHEAD * atOnce(queue);
  return Math.min(most, MOST_PUT_OFF - queue.putOff.size) - queue.active - queue.waiting.length;
};

/** Removes all waiting deliveries, and returns their ids with those of their configurations. */
const takeWaiting = (queues: ReadonlyMap<string, ReceiverQueue>): (readonly [string, string])[] =>
  [...queues].flatMap(([webhookId, { waiting }]) => waiting.splice(0).map(({ id }) => [id, webhookId] as const));

const holderOf = ([webhookId, queue]: readonly [string, ReceiverQueue]): Holder => ({
  webhookId,
  held: [...queue.held],
  room: Math.max(0, roomOf(queue)),
});

/**
 * Adapts a queue to a result. The result of a test is ignored.
 * @returns the waiting deliveries that a failure leaves to the retries
 */
const learn = (queue: ReceiverQueue, { outcome, isTest }: DeliveryResult): DueDelivery[] => {
  if (isTest) return [];
  const isTaken = outcome === 'delivered';
  queue.taken = isTaken ? queue.taken + 1 : 0;
  return isTaken ? [] : queue.waiting.splice(0);
};

/** How attempts are made, and callbacks for their outcomes. */
interface ReceiverQueueDeps {
  readonly attempt: AttemptDelivery;
  readonly underWay: Set<string>;
  readonly ended: (result: DeliveryResult) => void;
  /** A delivery was no longer due. */
  readonly dropped: () => void;
  /** A delivery alone cannot be sent. It stays in hand, and is still due after `PUT_OFF_MS`. */
  readonly putOff: (due: DueDelivery, error: UnsendableError) => void;
  /** An attempt could not be made, through no fault of its receiver. It is still due. */
  readonly failed: (error: unknown) => void;
  /** Monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
}

/**
 * The deliveries of one loop, in one queue per configuration. A working receiver gets more attempts at once. A failure resets
 * the number to the lowest and leaves the waiting deliveries to the retries. When a delivery is no longer due, those that wait
 * behind it are dropped too; the next query finds the ones that are still due. A delivery that Carat cannot send stays in hand
 * for a while, so that queries find others, and teaches nothing about its receiver.
 */
export const createReceiverQueues = ({
  attempt,
  underWay,
  ended,
  dropped,
  putOff,
  failed,
  elapsed = () => performance.now(),
}: ReceiverQueueDeps) => {
  const queues = new Map<string, ReceiverQueue>();

  const drop = (id: string, webhookId: string): void => {
    underWay.delete(id);
    const queue = queues.get(webhookId);
    queue?.putOff.delete(id);
    if (queue?.held.delete(id) === true && queue.held.size === 0) queue.emptyAt = elapsed();
  };

  const resume = (): void => {
    const now = elapsed();
    for (const [webhookId, queue] of queues) for (const [id, at] of queue.putOff) if (at <= now) drop(id, webhookId);
  };

  const forgetIdle = (): void => {
    const since = elapsed() - REMEMBERED_MS;
    for (const [webhookId, { emptyAt, taken }] of queues) {
      if (emptyAt !== null && (taken === 0 || emptyAt < since)) queues.delete(webhookId);
    }
  };

  const finish =
    (queue: ReceiverQueue, due: DueDelivery) =>
    (result: DeliveryResult | null): void => {
      queue.active -= 1;
      const letGo = result === null ? [due, ...queue.waiting.splice(0)] : learn(queue, result);
      for (const { id } of letGo) drop(id, due.receiver.webhookId);
      if (result === null) dropped();
      else ended(result);
      proceed(queue);
    };

  const abandon =
    (queue: ReceiverQueue, due: DueDelivery) =>
    (error: unknown): void => {
      queue.active -= 1;
      if (error instanceof UnsendableError) {
        queue.putOff.set(due.id, elapsed() + PUT_OFF_MS);
        putOff(due, error);
        proceed(queue);
        return;
      }
      drop(due.id, due.receiver.webhookId);
      failed(error);
    };

  const proceed = (queue: ReceiverQueue): void => {
    while (queue.active < atOnce(queue) && queue.waiting.length > 0) {
      queue.active += 1;
      const due = queue.waiting.shift()!;
      void attempt(due).then(finish(queue, due), abandon(queue, due));
    }
  };

  return {
    drop,
    /** Drops the deliveries whose time to be put off is over. */
    resume,
    /** The configurations that have deliveries in hand, or had some shortly before, and how many more each would take. */
    holders: (): Holder[] => {
      resume();
      forgetIdle();
      return [...queues].map(holderOf);
    },
    /** True when nothing is in hand but deliveries that are put off. */
    isIdle: (): boolean => [...queues.values()].every(({ held, putOff: { size } }) => held.size === size),
    /** Ids of the deliveries that are put off because Carat cannot send them. */
    putOff: (): string[] => [...queues.values()].flatMap((queue) => [...queue.putOff.keys()]),
    /** How many more deliveries of a configuration would be taken now. */
    room: (webhookId: string): number => roomOf(queues.get(webhookId) ?? newQueue()),
    /** @returns false when the delivery is in hand already, in this or another loop of the process */
    take: ({ id, receiver: { webhookId } }: DueDelivery): boolean => {
      if (underWay.has(id)) return false;
      underWay.add(id);
      const queue = queues.get(webhookId) ?? newQueue();
      queue.held.add(id);
      queue.emptyAt = null;
      queues.set(webhookId, queue);
      return true;
    },
    /** Starts deliveries that `take` accepted. */
    begin: (taken: readonly DueDelivery[]): void => {
      for (const delivery of taken) queues.get(delivery.receiver.webhookId)?.waiting.push(delivery);
      for (const queue of queues.values()) proceed(queue);
    },
    /** Drops the waiting deliveries, because another process may have the next run. */
    letGo: (): void => takeWaiting(queues).forEach(([id, webhookId]) => drop(id, webhookId)),
    /** Drops everything. Deliveries without a recorded result are sent again. */
    close: (): void => {
      takeWaiting(queues);
      for (const { held } of queues.values()) for (const id of held) underWay.delete(id);
    },
  };
};
