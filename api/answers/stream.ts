import type { Response } from 'express';
import { createPace, type PaceLimits } from '../../domain/tools/pace.ts';

/** Characters that are rendered, and bytes that are sent, before somebody else is served. */
export const SLICE = 64 * 1_024;

/** An answer of which nobody has all in hand: it is made while it is sent. */
export interface StreamedAnswer {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  /** Parts of the body, each with the number of its rows. What is thrown before the first one is answered like any refusal. */
  readonly parts: AsyncIterator<{ readonly text: string; readonly rows: number }, void>;
}

/**
 * How fast lists and files are sent for all that call for one node: each byte is read, rendered and copied by the process that also
 * serves everybody else. A page of a hundred usual payments is 0.1 MB.
 */
const PACE: PaceLimits = { bytesPerSecond: 8 * 2 ** 20, burst: 4 * 2 ** 20, ofEach: 0, tickMs: 10 };

const pace = createPace(PACE);

/**
 * Waits until a piece of a list or a file may be sent for the node, or its client is gone. Others of the node get between any two slices: a part of
 * a list can be megabytes, and whoever asks for little would wait for all of them.
 */
export const paced = async (response: Response, node: string, text: string): Promise<void> => {
  for (let left = Buffer.byteLength(text); left > 0 && !response.destroyed; left -= SLICE) {
    await pace.turn(node, Math.min(left, SLICE));
  }
};

/** Waits until the client has taken what was written, or is gone. */
export const taken = (response: Response): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.once('drain', go).once('close', go);
  });

/**
 * Sends parts as fast as the client takes them and the node's pace allows, and makes none for one that is gone. Whoever reads knows that it has all of
 * them by the end of the chunked body, and by the trailing `Row-Count`; what fails on the way ends the connection before either.
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
      // No `Trailer` header tells of the trailer: Node throws where it can not send one, as in an answer to HEAD.
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
