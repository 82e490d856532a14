import { setImmediate as turn } from 'node:timers/promises';
import type { Response } from 'express';
import { createPace, type PaceLimits } from '../../domain/tools/pace.ts';
import type { ListBody } from '../request/page.ts';

/** Runs work with limited concurrency; the rest waits in order of arrival. */
type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** @param most number of pieces of work in flight at once */
export const createGate = (most: number): Gate => {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (underWay < most) underWay += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
};

/** Characters rendered, and bytes sent, before other requests get a turn. */
export const SLICE = 64 * 1_024;

/** An answer that is produced while it is sent, so that it is never in memory as a whole. */
export interface StreamedAnswer {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  /** Parts of the body, each with its number of rows. An error before the first part is answered like any refusal. */
  readonly parts: AsyncIterator<{ readonly text: string; readonly rows: number }, void>;
}

/**
 * How fast lists and files are sent to all callers of one node. The process that reads, renders and copies each byte
 * also serves everybody else. A page of a hundred usual payments is 0.1 MB.
 */
const PACE: PaceLimits = { bytesPerSecond: 8 * 2 ** 20, burst: 4 * 2 ** 20, ofEach: 0, tickMs: 10 };

const pace = createPace(PACE);

/**
 * Waits until the node's pace allows a piece of a list or a file, or the client is gone. Other requests of the node get
 * a turn between slices: a part of a list can be megabytes, and small requests must not wait for all of it.
 */
export const paced = async (response: Response, node: string, text: string): Promise<void> => {
  for (let left = Buffer.byteLength(text); left > 0 && !response.destroyed; left -= SLICE) {
    await pace.turn(node, Math.min(left, SLICE));
  }
};

/** Waits until the client has taken the bytes written so far, or is gone. */
export const taken = (response: Response): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.once('drain', go).once('close', go);
  });

/**
 * Sends parts as fast as the client reads and the node's pace allows, and makes no more once the client is gone. The
 * end of the chunked body and the trailing `Row-Count` tell the reader that the file is complete. An error midway
 * closes the connection before either.
 */
export const sendStream = async (
  response: Response,
  { status, headers, parts }: StreamedAnswer,
  node: string,
): Promise<void> => {
  let rows = 0;
  try {
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
      await paced(response, node, part.value.text);
      if (response.destroyed) return;
      // No `Trailer` header announces the trailer: Node throws where it cannot send one, as in an answer to HEAD.
      if (!response.headersSent) response.writeHead(status, headers);
      rows += part.value.rows;
      if (!response.write(part.value.text)) await taken(response);
    }
    response.addTrailers({ 'Row-Count': String(rows) });
    response.end();
  } finally {
    await parts.return?.();
  }
};

/** Parts of lists that a process holds at once, across all callers. Each list holds one at most. */
const PARTS_AT_ONCE = 16;

const gate = createGate(PARTS_AT_ONCE);

/** Renders items as JSON; each item has a leading comma, except the first of the list. */
const render = async (items: readonly unknown[], isFirst: boolean): Promise<string> => {
  let text = '';
  let rendered = 0;
  for (const [index, item] of items.entries()) {
    text += (isFirst && index === 0 ? '' : ',') + JSON.stringify(item);
    if (text.length - rendered < SLICE) continue;
    rendered = text.length;
    await turn();
  }
  return text;
};

/**
 * Sends a list as fast as the client reads and the node's pace allows, and stops reading rows once the client is gone.
 * A list of one part has a `Content-Length`. A longer list is chunked, and an error midway closes the connection before
 * the end of the body.
 */
export const sendList = async (response: Response, { parts, end }: ListBody<unknown>, node: string): Promise<void> => {
  let text = '{"items":[';
  let length = 0;
  const next = (isFirst: boolean): Promise<string | null> =>
    gate(async () => {
      const part = await parts.next(length);
      return part.done === true ? null : render(part.value, isFirst);
    });
  try {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    for (let part = await next(true), isFirst = true; part !== null; part = await next(false), isFirst = false) {
      await paced(response, node, part);
      if (response.destroyed) return;
      if (!isFirst && !response.write(text)) await taken(response);
      text = isFirst ? text + part : part;
      length = part.length;
    }
    const rest = JSON.stringify(await end()).slice(1);
    response.end(`${text}],${rest}`);
  } finally {
    await parts.return();
  }
};
