import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Notifications } from '../../db/outbox/notifications.ts';
import { PAGES } from '../../db/outbox/pages.ts';
import { takeWidgetPayments, type WidgetPaymentRow } from '../../db/widget/rows.ts';
import { found } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createSpell } from '../../domain/tools/spell.ts';
import { eventText, heartbeat, type EventAnswer, type EventSink } from '../answers/events.ts';
import type { WidgetTokens } from '../auth/widget-tokens.ts';
import { ApiError } from '../errors/errors.ts';
import { opened, tokenEndOf, toWidgetState } from './state.ts';

/** Milliseconds in which changes gather, so that they share a query. */
const GATHER_MS = 25;
/** Milliseconds before states are read again after a failure. */
const RETRY_MS = 1_000;
/** Milliseconds between two looks for ended tokens and quiet streams. */
const LOOK_MS = 5_000;
/** Milliseconds without an event before a stream gets a heartbeat, at the next look. */
const QUIET_MS = 15_000;
/**
 * Pages whose streams end together when the process stops, and milliseconds before the next ones. Each asks another process at once:
 * thousands would ask in the same instant.
 */
const [ENDED_TOGETHER, END_PAUSE_MS] = [10, 5];
/** Most bytes of states that one query reads. Usual states have 2 kB. */
const TOGETHER_BYTES = 16 * 2 ** 20;

/** One open stream. */
interface Stream {
  readonly token: string;
  /** Null until its head is sent. */
  sink: EventSink | null;
  /** The event for which it waits, while its head is not sent. */
  first: string | null;
  /** It has not got the newest state. */
  isBehind: boolean;
  /** Milliseconds of `performance.now()`. */
  sentAt: number;
  /** Settles the request that opened it. */
  readonly answered: (refusal?: Error) => void;
}

/** A payment with open streams. */
interface Page {
  readonly id: string;
  readonly streams: Set<Stream>;
  networkId: string | null;
  /** Digest of the state that was sent last. */
  digest: string;
  bytes: number;
  /** Each block changes its state. */
  countsBlocks: boolean;
  /** Unix milliseconds; null for never. */
  payableUntil: number | null;
  tokenEnd: number | null;
}

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

/** Dependencies of `createPages`. */
export interface PagesDeps {
  readonly knex: Knex;
  readonly notifications: Pick<Notifications, 'hear'>;
  readonly tokens: Pick<WidgetTokens, 'isAlive'>;
  /** Public origin of the API, without a trailing slash. */
  readonly publicUrl: string;
  readonly log: Log;
}

const newPage = (id: string): Page => ({
  id,
  streams: new Set(),
  networkId: null,
  digest: '',
  bytes: 2_048,
  countsBlocks: false,
  payableUntil: null,
  tokenEnd: null,
});

const send = (stream: Stream, text: string): void => {
  if (stream.sink === null) stream.first = text;
  else stream.isBehind = !stream.sink.send(text);
  if (!stream.isBehind) stream.sentAt = performance.now();
  stream.answered();
};

/** Ends a stream, or refuses the request for it. */
const end = (stream: Stream, refusal: Error): void => {
  stream.answered(refusal);
  stream.sink?.end();
};

/** Sends a state to the streams that lack it. */
const show = (page: Page, row: WidgetPaymentRow, publicUrl: string): void => {
  const now = Date.now();
  const { server_time: time, ...state } = toWidgetState(opened(row, now), now, publicUrl);
  const json = JSON.stringify(state);
  const digest = hash('sha1', json, 'base64');
  const isNew = digest !== page.digest;
  page.digest = digest;
  page.bytes = Buffer.byteLength(json);
  page.networkId = row.network_id;
  page.countsBlocks = row.confirmations_seen !== null && row.terminal_at === null;
  page.payableUntil = state.payable ? Number(row.expires_unix) * 1_000 : null;
  page.tokenEnd = tokenEndOf(row);
  const lacking = [...page.streams].filter((stream) => isNew || stream.isBehind);
  if (lacking.length === 0) return;
  const text = eventText('state', `${json.slice(0, -1)},"server_time":"${time}"}`);
  for (const stream of lacking) send(stream, text);
};

const stopping = (): ApiError =>
  new ApiError('unavailable', 'This process is stopping; try again', { headers: { 'Retry-After': '1' } });

/** The pages whose states are to be read. Reads them one query after another, each for all that has gathered. */
const createReader = ({ knex, log, publicUrl }: PagesDeps, leave: (page: Page, refusal: Error) => void) => {
  const due = new Set<Page>();
  const trouble = createSpell();
  let isReading = false;
  let isStopped = false;

  const take = (): Page[] => {
    const taken: Page[] = [];
    let bytes = 0;
    for (const page of due) {
      if (bytes > 0 && bytes + page.bytes > TOGETHER_BYTES) break;
      bytes += page.bytes;
      due.delete(page);
      if (page.streams.size > 0) taken.push(page);
    }
    return taken;
  };

  const showRow = (page: Page, row: WidgetPaymentRow | null): void => {
    try {
      show(page, found(row, 'payment'), publicUrl);
    } catch (error) {
      leave(page, error as Error);
    }
  };

  /** Shows each row as it arrives: all of them at once, with their texts, would be garbage of many megabytes. */
  const showAll = async (pages: readonly Page[]): Promise<void> => {
    const unseen = new Map(pages.map((page) => [page.id, page]));
    await takeWidgetPayments(knex, [...unseen.keys()], (row) => {
      showRow(unseen.get(row.id)!, row);
      unseen.delete(row.id);
    });
    for (const page of unseen.values()) showRow(page, null);
  };

  /** Streams stay open while the database cannot be asked; requests for new ones are refused. */
  const fail = (pages: readonly Page[], error: Error): void => {
    trouble.begins(() => log.warn('The states of open pages cannot be read', { error: error.name }));
    for (const page of pages) {
      for (const stream of page.streams) if (stream.sink === null) stream.answered(error);
      due.add(page);
    }
  };

  const read = async (): Promise<void> => {
    await delay(GATHER_MS);
    const pages = take();
    if (pages.length === 0) return;
    try {
      await showAll(pages);
      trouble.ends(() => log.info('The states of open pages are read again'));
    } catch (error) {
      fail(pages, error as Error);
      await delay(RETRY_MS);
    }
  };

  const readAll = async (): Promise<void> => {
    isReading = true;
    while (due.size > 0 && !isStopped) await read();
    isReading = false;
  };

  return {
    /** Reads the state of a page soon. */
    reads: (page: Page): void => {
      due.add(page);
      if (!isReading) void readAll();
    },
    stop: (): void => {
      isStopped = true;
    },
  };
};

/**
 * Sends every open page the state of its payment, at once and at each change. Pages ask nothing: notifications name the payments
 * that have changed, and one query reads all of them that are open. A client that reads slowly gets the newest state once it
 * has read the one before.
 */
export const createPages = (deps: PagesDeps): Pages => {
  const pages = new Map<string, Page>();
  const leave = (page: Page, refusal: Error): void => {
    pages.delete(page.id);
    for (const stream of page.streams) end(stream, refusal);
    page.streams.clear();
  };
  const reader = createReader(deps, leave);
  const readWhere = (condition: (page: Page) => boolean): void => {
    for (const page of pages.values()) if (condition(page)) reader.reads(page);
  };

  const ear = deps.notifications.hear({
    heard: (channel, payload) => {
      if (channel === 'carat_block') readWhere((page) => page.countsBlocks && page.networkId === payload);
      if (channel !== PAGES) return;
      for (const id of payload.split(',')) {
        const page = pages.get(id);
        if (page !== undefined) reader.reads(page);
      }
    },
    mayHaveMissed: () => readWhere(() => true),
  });

  const forget = (page: Page, stream: Stream): void => {
    page.streams.delete(stream);
    if (page.streams.size === 0 && pages.get(page.id) === page) pages.delete(page.id);
  };

  const look = (page: Page): void => {
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

  const begin = (page: Page, stream: Stream, sink: EventSink): void => {
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
      ear.close();
      reader.stop();
      void endAll();
    },
  };
};
