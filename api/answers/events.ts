import type { Response } from 'express';
import { letLast } from '../limits/lasting.ts';
import { localsOf } from '../request/locals.ts';
import { EVENT_STREAM } from '../request/media-type.ts';

/** An open stream of server-sent events. It never holds more than the event that it has begun to send. */
export interface EventSink {
  /** Sends a text of whole events or comments; false when the client has not taken the one before, or is gone. */
  send(text: string): boolean;
  /** The client can take another text, or is gone. */
  on(event: 'drain' | 'close', listener: () => void): void;
  end(): void;
}

/** An answer that stays open. Either `begin` or `leave` is called, once. */
export interface EventAnswer {
  readonly status: 200;
  readonly begin: (sink: EventSink) => void;
  /** The client needs no events. */
  readonly leave: () => void;
}

/** An event with a JSON object, which has no line breaks. */
export const eventText = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`;

/** Keeps proxies and the client from taking the connection for dead. */
export const heartbeat = ':\n\n';

/** Sends the head of the answer and begins the stream. Its connection serves nothing after it. */
export const sendEvents = (response: Response, { status, begin, leave }: EventAnswer): void => {
  if (response.destroyed) return leave();
  response.statusCode = status;
  response.setHeader('Content-Type', EVENT_STREAM);
  // nginx would keep the events until it has a buffer of them.
  response.setHeader('X-Accel-Buffering', 'no');
  response.shouldKeepAlive = false;
  if (localsOf(response).isHead === true) {
    leave();
    return void response.end();
  }
  letLast(response);
  response.flushHeaders();
  begin({
    send: (text) => {
      if (response.destroyed || response.writableEnded || response.writableNeedDrain) return false;
      response.write(text);
      return true;
    },
    on: (event, listener) => void response.on(event, listener),
    end: () => void response.end(),
  });
};
