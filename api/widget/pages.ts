import { setTimeout as delay } from 'node:timers/promises';
import type { Notifications } from '../../db/outbox/notifications.ts';
import { PAGES } from '../../db/outbox/pages.ts';
import { heartbeat, type EventAnswer, type EventSink } from '../answers/events.ts';
import type { WidgetTokens } from '../auth/widget-tokens.ts';
import { end, newPage, stopping, createReader, type OpenPage, type Stream, type ReaderDeps } from './open-page.ts';

/** Milliseconds between two looks for ended tokens and quiet streams. */
const LOOK_MS = 5_000;
/** Milliseconds without an event before a stream gets a heartbeat, at the next look. */
const QUIET_MS = 15_000;
/**
 * Pages whose streams end together when the process stops, and milliseconds before the next ones. Each asks another process at once:
 * thousands would ask in the same instant.
 */
const [ENDED_TOGETHER, END_PAUSE_MS] = [10, 5];

/** The open pages of a process. */
export interface Pages {
  /**
   * Opens a stream of a payment's states.
   * @throws the refusal of `toWidgetState`, or the error of the database
   */
  open(paymentId: string, token: string): Promise<EventAnswer>;
  /** Reads the states of all open pages, because changes may have been missed. */
  readAll(): void;
  /** Refuses new streams at once, and ends the open ones within seconds. */
  stop(): void;
}

export interface PagesDeps extends ReaderDeps {
  readonly notifications: Pick<Notifications, 'listen'>;
  readonly tokens: Pick<WidgetTokens, 'isAlive'>;
}

/**
 * Sends every open page the state of its payment, at once and at each change. Pages ask nothing: notifications name the payments
 * that have changed, and one query reads all of them that are open. A client that reads slowly gets the newest state once it
 * has read the one before.
 */
export const createPages = (deps: PagesDeps): Pages => {
  const pages = new Map<string, OpenPage>();
  const leave = (page: OpenPage, refusal: Error): void => {
    if (pages.get(page.id) === page) pages.delete(page.id);
    for (const stream of page.streams) end(stream, refusal);
    page.streams.clear();
  };
  const reader = createReader(deps, leave);
  const readWhere = (condition: (page: OpenPage) => boolean): void => {
    for (const page of pages.values()) if (condition(page)) reader.reads(page);
  };

  const listener = deps.notifications.listen({
    notified: (channel, payload) => {
      if (channel === 'carat_block') readWhere((page) => page.countsBlocks && page.networkId === payload);
      if (channel !== PAGES) return;
      for (const id of payload.split(',')) {
        const page = pages.get(id);
        if (page !== undefined) reader.reads(page);
      }
    },
    mayHaveMissed: () => readWhere(() => true),
  });

  const forget = (page: OpenPage, stream: Stream): void => {
    page.streams.delete(stream);
    if (page.streams.size === 0 && pages.get(page.id) === page) pages.delete(page.id);
  };

  const look = (page: OpenPage): void => {
    const [now, elapsed] = [Date.now(), performance.now()];
    if (page.tokenEnd !== null && page.tokenEnd <= now) return leave(page, stopping());
    if (page.payableUntil !== null && page.payableUntil <= now) reader.reads(page);
    for (const stream of page.streams) {
      if (!deps.tokens.isAlive(stream.token)) end(stream, stopping());
      else if (elapsed - stream.sentAt >= QUIET_MS && stream.sink?.send(heartbeat)) stream.sentAt = elapsed;
    }
  };
  const looking = setInterval(() => pages.forEach(look), LOOK_MS).unref();
  let isStopped = false;

  const begin = (page: OpenPage, stream: Stream, sink: EventSink): void => {
    stream.sink = sink;
    const { first } = stream;
    stream.first = null;
    sink.onClose(() => forget(page, stream));
    // Also after a heartbeat, which an event may have met under way.
    sink.onTaken(() => {
      if (stream.isBehind) reader.reads(page);
    });
    if (isStopped || !page.streams.has(stream)) return sink.end();
    stream.isBehind = first === null || !sink.send(first);
  };

  const endAll = async (): Promise<void> => {
    let ended = 0;
    for (const page of pages.values()) {
      leave(page, stopping());
      ended += 1;
      if (ended % ENDED_TOGETHER === 0) await delay(END_PAUSE_MS);
    }
  };

  return {
    open: async (paymentId, token) => {
      if (isStopped) throw stopping();
      const id = paymentId.toLowerCase();
      const page = pages.get(id) ?? newPage(id);
      pages.set(id, page);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const answered = (refusal?: Error): void => (refusal === undefined ? resolve() : reject(refusal));
      const sentAt = performance.now();
      const stream: Stream = { token, sink: null, first: null, isBehind: true, sentAt, answered };
      page.streams.add(stream);
      reader.reads(page);
      try {
        await promise;
      } catch (error) {
        forget(page, stream);
        throw error;
      }
      return { status: 200, begin: (sink) => begin(page, stream, sink), leave: () => forget(page, stream) };
    },
    readAll: () => readWhere(() => true),
    stop: () => {
      isStopped = true;
      clearInterval(looking);
      listener.close();
      reader.stop();
      void endAll();
    },
  };
};
