import { hash } from 'node:crypto';
import type { WidgetPaymentRow } from '../../db/widget/rows.ts';
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
export const sendText = (stream: Stream, text: string): void => {
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
