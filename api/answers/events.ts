import type { Response } from 'express';
import { letLast } from '../limits/lasting.ts';
import { localsOf } from '../request/locals.ts';
import { EVENT_STREAM } from '../request/media-type.ts';
import { createBacklog } from './backlog.ts';

/** An open stream of server-sent events. It never holds more than the text that it has begun to send. */
export interface EventSink {
  /** Sends a text of whole events or comments; false while the client has not taken the one before, or is gone. */
  send(text: string): boolean;
  /** Calls back whenever the client has taken a text and can take another one. */
  onTaken(taken: () => void): void;
  /** Calls back once the client is gone. */
  onClose(gone: () => void): void;
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

/**
 * Most bytes of events that the clients of a process have not taken. Each can hold one event, of 2 kB usually and of 36 kB at
 * most, and a process has thousands.
 */
const MOST_UNTAKEN = 64 * 2 ** 20;

/** @param mostUntaken bytes that clients have not taken, beyond which the slowest one is cut off */
export const createEventSender = (mostUntaken = MOST_UNTAKEN) => {
  const backlog = createBacklog<Response>(mostUntaken);
  const sinkOf = (response: Response): EventSink => {
    let whenTaken = (): void => {};
    return {
      send: (text) => {
        if (backlog.has(response) || response.destroyed || response.writableEnded) return false;
        backlog.joins(response, Buffer.byteLength(text));
        // The callback comes once the system has all of it. `drain` would come only after many kilobytes.
        response.write(text, () => {
          backlog.leaves(response);
          whenTaken();
        });
        return true;
      },
      onTaken: (taken) => {
        whenTaken = taken;
      },
      onClose: (gone) => void response.on('close', gone),
      end: () => void response.end(),
    };
  };

  /** Sends the head of the answer and begins the stream. Its connection serves nothing after it. */
  return (response: Response, { status, begin, leave }: EventAnswer): void => {
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
    response.once('close', () => backlog.leaves(response));
    response.flushHeaders();
    begin(sinkOf(response));
  };
};

export const sendEvents = createEventSender();
