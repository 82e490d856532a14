import { createHmac, createSecretKey } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Agents } from './agent.ts';

/** The signed content: the event's id, the start of this attempt in Unix seconds, and the exact bytes that are sent. */
export interface Signed {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

const PREFIX = 'whsec_';

/**
 * Returns the value of `webhook-signature` by the Standard Webhooks specification: one signature per secret, newest first.
 * @param secrets `whsec_` and the key in base64
 */
export const sign = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => {
      // With the bytes of the key, Node 24 takes several times as long.
      const key = createSecretKey(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The outcome of a POST. Exactly one of `status` and `error` is null. */
export interface ReceiverResponse {
  readonly status: number | null;
  /** A code of Carat, of the network or of TLS; never foreign text. */
  readonly error: string | null;
  /** The first bytes of the response as text. */
  readonly body: string;
  readonly retryAfter: string | null;
  readonly durationMs: number;
}

/** Connections and timeout of a POST. */
export interface SendLimits {
  readonly agents: Agents;
  /** From the first step to the status, in milliseconds. */
  readonly timeoutMs: number;
}

/** Bytes of a response that are kept. */
const KEPT_BYTES = 2_048;
/** Bytes that are read of a response, framing included, so that the connection can be reused. Longer ones are cut off. */
const READ_BYTES = 65_536;
/** Time for the rest of a response after its status, in milliseconds. */
const REST_MS = 2_000;
/** Limit of the response headers. */
const HEADER_BYTES = 16_384;

const CODE = /^[A-Za-z0-9_]{1,64}$/;
const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && CODE.test(code) ? code : 'failed';
};

/**
 * Decodes bytes to text that PostgreSQL can store: whole characters, without NUL. Cuts the text again, because a replacement of
 * one byte takes three.
 */
const textOf = (chunks: readonly Buffer[]): string => {
  const text = new TextDecoder().decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD');
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(KEPT_BYTES)).read);
};

/** One exchange in progress. It resolves with the known part of the response when it ends. */
const createExchange = (timeoutMs: number) => {
  const began = performance.now();
  const chunks: Buffer[] = [];
  let [status, retryAfter]: [number | null, string | null] = [null, null];
  let request: http.ClientRequest | undefined;
  let readBefore = 0;
  let finish: (received: ReceiverResponse) => void;
  const received = new Promise<ReceiverResponse>((resolve) => {
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
  /** Counts raw bytes, because interim responses and chunk extensions can be endless too. */
  const limit = (): void => {
    if ((request?.socket?.bytesRead ?? 0) - readBefore > READ_BYTES) hangUp('too_large');
  };
  let timer = setTimeout(hangUp, timeoutMs, 'timed_out');

  /** Keeps the beginning of a response and discards the rest. */
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
    // A receiver that responds before it has read the event could hold the connection and the unsent bytes without end.
    response.on('end', () => (request?.writableFinished === true ? end : hangUp)('closed'));
    response.on('error', (error) => end(codeOf(error)));
  };

  return {
    received,
    end,
    hangUp,
    start: (made: http.ClientRequest, body: Post['body']): void => {
      request = made;
      made.on('socket', ({ bytesRead }) => void (readBefore = bytesRead));
      made.on('information', limit);
      made.on('response', read);
      // An upgrade does not answer a POST, and Node would leave its socket open.
      made.on('upgrade', (_response, socket) => socket.destroy());
      made.on('close', () => end('closed'));
      made.end(body);
    },
  };
};

/**
 * Sends a POST and reads the beginning of the response. Does not follow redirects. Never rejects.
 * @param isSecond true for the repetition after the first POST met a connection that its receiver was closing
 */
export const send = async (post: Post, limits: SendLimits, isSecond = false): Promise<ReceiverResponse> => {
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
  const response = await exchange.received;
  const isAgain = isStale && !isSecond && response.error === 'ECONNRESET';
  if (!isAgain) return response;
  return send(post, { ...limits, timeoutMs: limits.timeoutMs - (performance.now() - began) }, true);
};
