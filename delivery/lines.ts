import type { DeliveryResult, DueDelivery, Holder } from '../domain/ports/deliveries.ts';
import type { Attempt } from './attempt.ts';

/** What one configuration has in hand. */
interface Line {
  /** Ids of all that is in hand: what waits, is under way, or is not recorded yet. */
  readonly held: Set<string>;
  readonly waiting: DueDelivery[];
  active: number;
  /** Attempts that its receiver took since it failed or was idle. */
  taken: number;
}

const newLine = (): Line => ({ held: new Set(), waiting: [], active: 0, taken: 0 });

/** Attempts under way at once to one receiver: at first, and at most. Each that it takes lets it have one more. */
export const FEWEST_AT_ONCE = 4;
const MOST_AT_ONCE = 32;
/** What is in hand of a receiver that takes what it gets, in multiples of that: the database is asked meanwhile. */
const AHEAD = 2;

const atOnce = ({ taken }: Line): number => Math.min(MOST_AT_ONCE, FEWEST_AT_ONCE + taken);

const roomOf = (line: Line): number =>
  (line.taken === 0 ? FEWEST_AT_ONCE : AHEAD * atOnce(line)) - line.active - line.waiting.length;

/** What waits, with its configuration; nothing of it waits any more. */
const takeWaiting = (lines: ReadonlyMap<string, Line>): (readonly [string, string])[] =>
  [...lines].flatMap(([webhookId, { waiting }]) => waiting.splice(0).map(({ id }) => [id, webhookId] as const));

const holderOf = ([webhookId, line]: readonly [string, Line]): Holder => ({
  webhookId,
  held: [...line.held],
  room: Math.max(0, roomOf(line)),
});

/** A line with nothing in hand is none. */
const forget = (lines: Map<string, Line>, id: string, webhookId: string): void => {
  const held = lines.get(webhookId)?.held;
  held?.delete(id);
  if (held?.size === 0) lines.delete(webhookId);
};

/**
 * Notes how a receiver took a delivery. The result of a test says nothing about the others.
 * @returns the waiting deliveries that a failure leaves to their retries
 */
const learn = (line: Line, { outcome, isTest }: DeliveryResult): DueDelivery[] => {
  if (isTest) return [];
  const isTaken = outcome === 'delivered';
  line.taken = isTaken ? line.taken + 1 : 0;
  return isTaken ? [] : line.waiting.splice(0);
};

/** What attempts are made with, and who is told what came of them. */
interface LineDeps {
  readonly attempt: Attempt;
  readonly underWay: Set<string>;
  readonly ended: (result: DeliveryResult) => void;
  /** One was not to be sent any more. */
  readonly dropped: () => void;
  /** One was not made, which is no fault of its receiver: it is due still. */
  readonly failed: (error: unknown) => void;
}

/**
 * What one loop has in hand, in one line for each configuration. Receivers that take what they get are given more at once; who
 * fails is given the fewest again, and what waits for it is left to its retries. Where one is not to be sent any more, what waits
 * behind it is let go of as well: what of it is due still is found again.
 */
export const createLines = ({ attempt, underWay, ended, dropped, failed }: LineDeps) => {
  const lines = new Map<string, Line>();

  const drop = (id: string, webhookId: string): void => {
    underWay.delete(id);
    forget(lines, id, webhookId);
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
    (line: Line, { id, receiver }: DueDelivery) =>
    (error: unknown): void => {
      line.active -= 1;
      drop(id, receiver.webhookId);
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
    holders: (): Holder[] => [...lines].map(holderOf),
    room: (webhookId: string): number => roomOf(lines.get(webhookId) ?? newLine()),
    /** @returns false for what is under way already, maybe in another loop of this process */
    take: ({ id, receiver: { webhookId } }: DueDelivery): boolean => {
      if (underWay.has(id)) return false;
      underWay.add(id);
      const line = lines.get(webhookId) ?? newLine();
      line.held.add(id);
      lines.set(webhookId, line);
      return true;
    },
    /** Begins what was taken before. */
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
