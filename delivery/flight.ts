import type { Log } from '../domain/ports/log.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery } from '../domain/ports/deliveries.ts';
import type { Attempt } from './attempt.ts';
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

/** The attempts that one loop has under way, and those that have ended and are not recorded yet. */
export interface Flight {
  /** Ids under way or not recorded yet, by configuration. */
  readonly busy: ReadonlyMap<string, ReadonlySet<string>>;
  /** True while something is to be recorded. */
  hasEnded(): boolean;
  /** Begins attempts, each with the body that is kept of its event. What is under way already is left out. */
  begin(due: readonly DueDelivery[]): Promise<void>;
  /** Records what has ended since. */
  record(options: { readonly wakesRetries: boolean }): Promise<void>;
  /** Forgets all of it: who records nothing any more leaves it to be done again. */
  close(): void;
  /** Aborts when the next attempt has ended; at once when one is waiting to be recorded. */
  nextEnd(): AbortSignal;
}

/** Results that are recorded in one transaction. */
const MAX_RECORDED = 200;

/** The bodies of events, made and kept where they were not before. */
const bodiesOf = async (
  { store, checksum, log }: FlightDeps,
  due: readonly DueDelivery[],
): Promise<ReadonlyMap<string, string>> => {
  const known = new Map(due.flatMap(({ eventId, body }) => (body === null ? [] : [[eventId, body] as const])));
  const missing = [...new Set(due.map(({ eventId }) => eventId).filter((id) => !known.has(id)))];
  if (missing.length === 0) return known;
  const made = (await store.events(missing)).flatMap((event) => {
    try {
      return [{ id: event.id, body: renderBody(event, checksum) }];
    } catch (error) {
      log.error('The body of a webhook event can not be made', { event_id: event.id, reason: (error as Error).name });
      return [];
    }
  });
  return new Map([...known, ...(await store.keepBodies(made))]);
};

/** Keeps count of the attempts of one loop. */
export const createFlight = (deps: FlightDeps): Flight => {
  const { store, attempt, underWay, log } = deps;
  const busy = new Map<string, Set<string>>();
  const ended: DeliveryResult[] = [];
  let ending = new AbortController();

  const add = ({ id, receiver }: DueDelivery): void => {
    underWay.add(id);
    const ids = busy.get(receiver.webhookId);
    if (ids === undefined) busy.set(receiver.webhookId, new Set([id]));
    else ids.add(id);
  };
  const remove = (id: string, webhookId: string): void => {
    underWay.delete(id);
    const ids = busy.get(webhookId);
    ids?.delete(id);
    if (ids?.size === 0) busy.delete(webhookId);
  };

  return {
    busy,
    hasEnded: () => ended.length > 0,
    begin: async (due) => {
      const free = due.filter(({ id }) => !underWay.has(id));
      free.forEach(add);
      const bodies = await bodiesOf(deps, free).catch((error: unknown) => {
        for (const { id, receiver } of free) remove(id, receiver.webhookId);
        throw error;
      });
      for (const delivery of free) {
        void attempt(delivery, bodies.get(delivery.eventId) ?? null).then((result) => {
          ended.push(result);
          ending.abort();
        });
      }
    },
    record: async (options) => {
      const results = ended.splice(0, MAX_RECORDED);
      if (results.length === 0) return;
      try {
        for (const { webhookId, reason } of await store.record(results, options)) {
          log.warn('A webhook was disabled', { webhook_id: webhookId, reason });
        }
        for (const { id, webhookId } of results) remove(id, webhookId);
      } catch (error) {
        ended.unshift(...results);
        throw error;
      }
    },
    close: () => {
      for (const ids of busy.values()) for (const id of ids) underWay.delete(id);
    },
    nextEnd: () => {
      if (ended.length === 0 && ending.signal.aborted) ending = new AbortController();
      return ending.signal;
    },
  };
};
