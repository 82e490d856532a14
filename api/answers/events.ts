import type { Response } from 'express';
import { letLast } from '../limits/open-sockets.ts';
import { localsOf } from '../request/locals.ts';
import { EVENT_STREAM } from '../request/media-type.ts';

/** An answer that a backlog can end. */
interface Endable {
  destroy(): void;
}

/** The answers that hold bytes which their clients have not taken. */
interface Backlog<Answer> {
  has(answer: Answer): boolean;
  /** The answer holds so many bytes from now on. */
  joins(answer: Answer, bytes: number): void;
  /** The client has taken them, or is gone. */
  leaves(answer: Answer): void;
}

/**
 * Bounds the bytes that clients have not taken, in all answers together. Beyond `most` bytes the answer that has waited for
 * longest is closed.
 */
const createBacklog = <Answer extends Endable>(most: number): Backlog<Answer> => {
  /** In the order in which they began to wait. */
  const waiting = new Map<Answer, number>();
  let held = 0;
  const leaves = (answer: Answer): void => {
    held -= waiting.get(answer) ?? 0;
    waiting.delete(answer);
  };
  return {
    has: (answer) => waiting.has(answer),
    joins: (answer, bytes) => {
      waiting.set(answer, bytes);
      held += bytes;
      for (const [slowest] of waiting) {
        if (held <= most) break;
        leaves(slowest);
        slowest.destroy();
      }
    },
    leaves,
  };
};

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
