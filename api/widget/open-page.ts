import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { takeWidgetPayments, type WidgetPaymentRow } from '../../db/widget/rows.ts';
import { found } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createEpisode } from '../../domain/tools/episode.ts';
import { eventText, type EventSink } from '../answers/events.ts';
import { ApiError } from '../errors/errors.ts';
import { opened, tokenEndOf, toWidgetState } from './state.ts';

export interface Stream {
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
export interface OpenPage {
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

/** A payment before its first stream. */
export const newPage = (id: string): OpenPage => ({
  id,
  streams: new Set(),
  networkId: null,
  digest: '',
  bytes: 2_048,
  countsBlocks: false,
  payableUntil: null,
  tokenEnd: null,
});

/** Sends a text, or keeps it for a stream whose head is not sent. */
const sendText = (stream: Stream, text: string): void => {
  if (stream.sink === null) stream.first = text;
  else stream.isBehind = !stream.sink.send(text);
  if (!stream.isBehind) stream.sentAt = performance.now();
  stream.answered();
};

/** Ends a stream, or refuses the request for it. */
export const end = (stream: Stream, refusal: Error): void => {
  stream.answered(refusal);
  stream.sink?.end();
};

/** Sends a state to the streams that lack it. */
export const show = (page: OpenPage, row: WidgetPaymentRow, publicUrl: string): void => {
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
  for (const stream of lacking) sendText(stream, text);
};

/** The refusal of a process that stops. */
export const stopping = (): ApiError =>
  new ApiError('unavailable', 'This process is stopping; try again', {
    headers: { 'Retry-After': '1' },
    isFault: false,
  });

/** Milliseconds in which changes gather, so that they share a query. */
const GATHER_MS = 25;
/** Milliseconds before states are read again after a failure. */
const RETRY_MS = 1_000;
/** Most bytes of states that one query reads. Usual states have 2 kB. */
const TOGETHER_BYTES = 16 * 2 ** 20;

export interface ReaderDeps {
  readonly knex: Knex;
  /** Public origin of the API, without a trailing slash. */
  readonly publicUrl: string;
  readonly log: Log;
}

/** The pages whose states are to be read. Reads them one query after another, each for all that has gathered. */
export const createReader = ({ knex, log, publicUrl }: ReaderDeps, leave: (page: OpenPage, refusal: Error) => void) => {
  const due = new Set<OpenPage>();
  const trouble = createEpisode();
  let isReading = false;
  let isStopped = false;

  const take = (): OpenPage[] => {
    const taken: OpenPage[] = [];
    let bytes = 0;
    for (const page of due) {
      if (bytes > 0 && bytes + page.bytes > TOGETHER_BYTES) break;
      bytes += page.bytes;
      due.delete(page);
      if (page.streams.size > 0) taken.push(page);
    }
    return taken;
  };

  const showRow = (page: OpenPage, row: WidgetPaymentRow | null): void => {
    try {
      show(page, found(row, 'payment'), publicUrl);
    } catch (error) {
      leave(page, error as Error);
    }
  };

  /** Shows each row as it arrives: all of them at once, with their texts, would be garbage of many megabytes. */
  const showAll = async (pages: readonly OpenPage[]): Promise<void> => {
    const unseen = new Map(pages.map((page) => [page.id, page]));
    await takeWidgetPayments(knex, [...unseen.keys()], (row) => {
      showRow(unseen.get(row.id)!, row);
      unseen.delete(row.id);
    });
    for (const page of unseen.values()) showRow(page, null);
  };

  /** Streams stay open while the database cannot be asked; requests for new ones are refused. */
  const fail = (pages: readonly OpenPage[], error: Error): void => {
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
    reads: (page: OpenPage): void => {
      due.add(page);
      if (!isReading) void readAll();
    },
    stop: (): void => {
      isStopped = true;
    },
  };
};
