import type { DeliveryResult, DueDelivery, Holder } from '../domain/ports/deliveries.ts';
import { UnsendableError, type AttemptDelivery } from './attempt.ts';

/** The deliveries in hand of one configuration. */
interface Line {
  /** Ids of all deliveries in hand: waiting, in flight, or not recorded yet. */
  readonly held: Set<string>;
  readonly waiting: DueDelivery[];
  /** Deliveries in hand that Carat cannot send for now, with the time of their next attempt by the clock of the lines. */
  readonly putOff: Map<string, number>;
  active: number;
  /** Deliveries that the receiver took since it last failed or was idle. */
  taken: number;
  /** When its last delivery was recorded, by the clock of the lines; null while some are in hand. */
  emptyAt: number | null;
}

const newLine = (): Line => ({ held: new Set(), waiting: [], putOff: new Map(), active: 0, taken: 0, emptyAt: null });

/** Concurrent attempts to one receiver: at first, and at most. Each delivery that it takes adds one. */
export const FEWEST_AT_ONCE = 4;
const MOST_AT_ONCE = 32;
/** Deliveries in hand of a working receiver, in multiples of its concurrent attempts, to cover the time of a query. */
const AHEAD = 2;

/**
 * Milliseconds for which a line without deliveries remembers the pace of its receiver. A fast receiver empties its line before
 * the next query; if that forgot it, each query would find four again.
 */
const REMEMBERED_MS = 2_000;

/** Milliseconds until the next attempt of a delivery that Carat cannot send. */
export const PUT_OFF_MS = 60_000;
/** Most such deliveries of one receiver. With more, its other deliveries wait too. */
const MOST_PUT_OFF = 64;

const atOnce = ({ taken }: Line): number => Math.min(MOST_AT_ONCE, FEWEST_AT_ONCE + taken);

const roomOf = (line: Line): number => {
  const most = line.taken === 0 ? FEWEST_AT_ONCE : AHEAD * atOnce(line);
  return Math.min(most, MOST_PUT_OFF - line.putOff.size) - line.active - line.waiting.length;
};

/** Removes all waiting deliveries, and returns their ids with those of their configurations. */
const takeWaiting = (lines: ReadonlyMap<string, Line>): (readonly [string, string])[] =>
  [...lines].flatMap(([webhookId, { waiting }]) => waiting.splice(0).map(({ id }) => [id, webhookId] as const));

const holderOf = ([webhookId, line]: readonly [string, Line]): Holder => ({
  webhookId,
  held: [...line.held],
  room: Math.max(0, roomOf(line)),
});

/**
 * Adapts a line to a result. The result of a test is ignored.
 * @returns the waiting deliveries that a failure leaves to the retries
 */
const learn = (line: Line, { outcome, isTest }: DeliveryResult): DueDelivery[] => {
  if (isTest) return [];
  const isTaken = outcome === 'delivered';
  line.taken = isTaken ? line.taken + 1 : 0;
  return isTaken ? [] : line.waiting.splice(0);
};

/** How attempts are made, and callbacks for their outcomes. */
interface LineDeps {
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
 * The deliveries of one loop, in one line per configuration. A working receiver gets more attempts at once. A failure resets
 * the number to the lowest and leaves the waiting deliveries to the retries. When a delivery is no longer due, those that wait
 * behind it are dropped too; the next query finds the ones that are still due. A delivery that Carat cannot send stays in hand
 * for a while, so that queries find others, and teaches nothing about its receiver.
 */
export const createLines = ({
  attempt,
  underWay,
  ended,
  dropped,
  putOff,
  failed,
  elapsed = () => performance.now(),
}: LineDeps) => {
  const lines = new Map<string, Line>();

  const drop = (id: string, webhookId: string): void => {
    underWay.delete(id);
    const line = lines.get(webhookId);
    line?.putOff.delete(id);
    if (line?.held.delete(id) === true && line.held.size === 0) line.emptyAt = elapsed();
  };

  const resume = (): void => {
    const now = elapsed();
    for (const [webhookId, line] of lines) for (const [id, at] of line.putOff) if (at <= now) drop(id, webhookId);
  };

  const forgetIdle = (): void => {
    const since = elapsed() - REMEMBERED_MS;
    for (const [webhookId, { emptyAt, taken }] of lines) {
      if (emptyAt !== null && (taken === 0 || emptyAt < since)) lines.delete(webhookId);
    }
  };

  const finish =
    (line: Line, due: DueDelivery) =>
    (result: DeliveryResult | null): void => {
      line.active -= 1;
      const letGo = result === null ? [due, ...line.waiting.splice(0)] : learn(line, result);
      for (const { id } of letGo) drop(id, due.receiver.webhookId);
      if (result === null) dropped();
      else ended(result);
      proceed(line);
    };

  const abandon =
    (line: Line, due: DueDelivery) =>
    (error: unknown): void => {
      line.active -= 1;
      if (error instanceof UnsendableError) {
        line.putOff.set(due.id, elapsed() + PUT_OFF_MS);
        putOff(due, error);
        proceed(line);
        return;
      }
      drop(due.id, due.receiver.webhookId);
      failed(error);
    };

  const proceed = (line: Line): void => {
    while (line.active < atOnce(line) && line.waiting.length > 0) {
      line.active += 1;
      const due = line.waiting.shift()!;
      void attempt(due).then(finish(line, due), abandon(line, due));
    }
  };

  return {
    drop,
    /** Drops the deliveries whose time to be put off is over. */
    resume,
    /** The configurations with deliveries in hand, and those that had some shortly before. */
    holders: (): Holder[] => {
      resume();
      forgetIdle();
      return [...lines].map(holderOf);
    },
    /** True when nothing is in hand but deliveries that are put off. */
    isIdle: (): boolean => [...lines.values()].every(({ held, putOff: { size } }) => held.size === size),
    putOff: (): string[] => [...lines.values()].flatMap((line) => [...line.putOff.keys()]),
    room: (webhookId: string): number => roomOf(lines.get(webhookId) ?? newLine()),
    /** @returns false when the delivery is in hand already, in this or another loop of the process */
    take: ({ id, receiver: { webhookId } }: DueDelivery): boolean => {
      if (underWay.has(id)) return false;
      underWay.add(id);
      const line = lines.get(webhookId) ?? newLine();
      line.held.add(id);
      line.emptyAt = null;
      lines.set(webhookId, line);
      return true;
    },
    /** Starts deliveries that `take` accepted. */
    begin: (taken: readonly DueDelivery[]): void => {
      for (const delivery of taken) lines.get(delivery.receiver.webhookId)?.waiting.push(delivery);
      for (const line of lines.values()) proceed(line);
    },
    letGo: (): void => takeWaiting(lines).forEach(([id, webhookId]) => drop(id, webhookId)),
    close: (): void => {
      takeWaiting(lines);
      for (const { held } of lines.values()) for (const id of held) underWay.delete(id);
    },
  };
};
