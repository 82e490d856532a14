import http from 'node:http';
import https from 'node:https';
import type { Agents } from './agent.ts';

/** One POST. */
export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What came of it. Exactly one of `status` and `error` is null. */
export interface Answer {
  readonly status: number | null;
  /** A code of ours, of the network or of TLS; never a text of somebody else's. */
  readonly error: string | null;
  /** The first bytes of the answer as text. */
  readonly body: string;
  readonly retryAfter: string | null;
  readonly durationMs: number;
}

/** How long a receiver may take. */
export interface SendLimits {
  readonly agents: Agents;
  /** From the first step to the status, in milliseconds. */
  readonly timeoutMs: number;
}

/** What is kept of an answer, in bytes. */
const KEPT_BYTES = 2_048;
/** What is read of one with all that is around it, so that its connection can serve again. Who says more is hung up on. */
const READ_BYTES = 65_536;
/** For the rest of an answer whose status is known, in milliseconds. */
const REST_MS = 2_000;
/** Of the headers of an answer. */
const HEADER_BYTES = 16_384;

const CODE = /^[A-Za-z0-9_]{1,64}$/;
const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && CODE.test(code) ? code : 'failed';
};

/** Bytes as text that PostgreSQL can keep: whole characters, none of them null. */
const textOf = (chunks: readonly Buffer[]): string =>
  new TextDecoder().decode(Buffer.concat(chunks).subarray(0, KEPT_BYTES)).replaceAll('\0', '\uFFFD');

/** One exchange as it goes on; what is known when it ends is the answer. */
const createExchange = (timeoutMs: number) => {
  const began = performance.now();
  const chunks: Buffer[] = [];
  let [status, retryAfter]: [number | null, string | null] = [null, null];
  let request: http.ClientRequest | undefined;
  let readBefore = 0;
  let finish: (answer: Answer) => void;
  const answer = new Promise<Answer>((resolve) => {
    finish = resolve;
  });

  const end = (error: string): void => {
    clearTimeout(timer);
    const durationMs = Math.round(performance.now() - began);
    finish({ status, error: status === null ? error : null, body: textOf(chunks), retryAfter, durationMs });
  };
  const hangUp = (error: string): void => {
    request?.destroy();
    end(error);
  };
  /** Not only what is kept: interim answers, and what may stand between the chunks of one, have no end either. */
  const limit = (): void => {
    if ((request?.socket?.bytesRead ?? 0) - readBefore > READ_BYTES) hangUp('too_large');
  };
  let timer = setTimeout(hangUp, timeoutMs, 'timed_out');

  /** Takes the beginning of an answer and lets the rest go. */
  const read = (response: http.IncomingMessage): void => {
    status = response.statusCode ?? null;
    retryAfter = response.headers['retry-after'] ?? null;
    clearTimeout(timer);
    timer = setTimeout(hangUp, REST_MS, 'timed_out');
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      if (bytes < KEPT_BYTES) chunks.push(chunk.subarray(0, KEPT_BYTES - bytes));
      bytes += chunk.length;
      limit();
    });
    // Who has not read the event would keep its connection, and the rest of the event, for ever.
    response.on('end', () => (request?.writableFinished === true ? end : hangUp)('closed'));
    response.on('error', (error) => end(codeOf(error)));
  };

  return {
    answer,
    end,
    hangUp,
    start: (made: http.ClientRequest, body: Post['body']): void => {
      request = made;
      made.on('socket', ({ bytesRead }) => void (readBefore = bytesRead));
      made.on('information', limit);
      made.on('response', read);
      // An upgrade is no answer to a POST, and would leave the socket to us.
      made.on('upgrade', (_response, socket) => socket.destroy());
      made.on('close', () => end('closed'));
      made.end(body);
    },
  };
};

/**
 * Sends a POST and reads a little of what is said to it. Redirects are answers like any other. Never rejects.
 * @param isSecond the first one met a connection that its receiver was closing
 */
export const send = async (post: Post, limits: SendLimits, isSecond = false): Promise<Answer> => {
  const began = performance.now();
  const exchange = createExchange(limits.timeoutMs);
  let isStale = false;
  try {
    const request = (post.url.protocol === 'https:' ? https : http).request(post.url, {
      method: 'POST',
      headers: { ...post.headers, 'content-length': Buffer.byteLength(post.body) },
      agent: limits.agents.of(post.url.protocol),
      maxHeaderSize: HEADER_BYTES,
    });
    request.on('error', (error) => {
      isStale = request.reusedSocket && codeOf(error) === 'ECONNRESET';
      exchange.end(codeOf(error));
    });
    exchange.start(request, post.body);
  } catch (error) {
    exchange.hangUp(codeOf(error));
  }
  const answer = await exchange.answer;
  const isAgain = isStale && !isSecond && answer.error === 'ECONNRESET';
  if (!isAgain) return answer;
  return send(post, { ...limits, timeoutMs: limits.timeoutMs - (performance.now() - began) }, true);
};
