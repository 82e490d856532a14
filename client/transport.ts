import { CaratError, toCaratError } from './carat-error.ts';
import { backoffMs, pause, waitAfter, type RetryPolicy } from './retry.ts';
import type { TokenSource } from './token-source.ts';

/** Options of all calls. */
export interface CallOptions {
  /** Aborts the call including its retries; the call throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Sent as X-Request-Id, which identifies the request in the service's log; at most 128 of `A-Z a-z 0-9 . _ : -`. */
  readonly requestId?: string;
}

/** Options of POST calls. */
export interface PostOptions extends CallOptions {
  /**
   * Makes the call safe to repeat, even by another process: the same key and body get the same answer for 24 hours.
   * Default: a random key per call.
   */
  readonly idempotencyKey?: string;
}

/** One operation with its arguments, as the generated methods describe it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Texts, numbers and booleans by name; null and undefined are left out. */
  readonly query?: object;
  readonly body?: unknown;
  /** The token to send: the integration's, the given one, or none. */
  readonly auth: 'integration' | 'none' | { readonly token: string };
  /** True when a repeated request has no further effect. */
  readonly repeatable: boolean;
  /** True when the operation takes an Idempotency-Key. */
  readonly keyed?: boolean;
}

/** Sends a call, retries it, and returns the answer's body; undefined when it has none. */
export type Send = <Result>(call: Call, options?: PostOptions) => Promise<Result>;

/** Sends the calls of all operations. */
export interface Transport {
  readonly send: Send;
  /** The same for an answer of the media type, whose body is streamed. */
  readonly stream: (mediaType: string, call: Call, options?: CallOptions) => Promise<ReadableStream<Uint8Array>>;
}

export interface TransportOptions {
  /** Origin of the API without a trailing slash. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly tokens: TokenSource;
  /** Timeout of one attempt including its answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly retries: RetryPolicy;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** How to read an answer. */
interface Reading {
  readonly accept: string;
  /** Reads the answer, within the timeout. */
  readonly read: (response: Response) => Promise<Answer>;
}

/**
 * Fills parameters into a path template.
 * @throws TypeError for values that would lead to another path
 */
export const fillPath = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  parts.reduce((path, part, index) => {
    const value = values[index - 1] ?? '';
    if (['', '.', '..'].includes(value)) throw new TypeError(`'${value}' is not an id`);
    return path + encodeURIComponent(value) + part;
  });

const queryOf = (query: object = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
};

const readJson = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  const isJson = /json/i.test(response.headers.get('content-type') ?? '');
  let body: unknown = text === '' ? undefined : text;
  try {
    if (isJson && text !== '') body = JSON.parse(text);
  } catch {
    // Truncated or not from the API: the text says more than the syntax error.
  }
  return { status: response.status, headers: response.headers, body };
};

const json: Reading = { accept: 'application/json, application/problem+json, */*;q=0.1', read: readJson };

/** Returns the body unread, so its reader sets the pace. */
const bodyOf = (mediaType: string): Reading => ({
  accept: `${mediaType}, application/problem+json`,
  read: (response) => {
    const { ok, status, headers, body } = response;
    return ok ? Promise.resolve({ status, headers, body }) : readJson(response);
  },
});

/** Sends a call once, with a timeout. */
const createAttempt =
  ({ url, fetch, timeoutMs }: Pick<TransportOptions, 'url' | 'fetch' | 'timeoutMs'>) =>
  async (call: Call, { accept, read }: Reading, options: PostOptions, token: string | null): Promise<Answer> => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new DOMException('The call took too long', 'TimeoutError')), timeoutMs);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    try {
      const response = await fetch(url + call.path + queryOf(call.query), {
        method: call.method,
        // The API never redirects, and a token must not go anywhere else.
        redirect: 'error',
        signal: options.signal === undefined ? limit.signal : AbortSignal.any([options.signal, limit.signal]),
        headers: {
          accept,
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
          ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
        },
        ...(body === undefined ? {} : { body }),
      });
      return await read(response);
    } finally {
      clearTimeout(timer);
    }
  };

/** Sends calls with a token, a timeout, an Idempotency-Key and retries. */
export const createTransport = ({ tokens, retries, ...where }: TransportOptions): Transport => {
  const attempt = createAttempt(where);

  const tokenOf = ({ auth }: Call): Promise<string | null> => {
    if (auth === 'integration') return tokens.get();
    return Promise.resolve(auth === 'none' ? null : auth.token);
  };

  /**
   * Milliseconds until the next attempt.
   * @param answer null when none arrived
   * @throws CaratError when the answer is final
   */
  const waitFor = (call: Call, count: number, answer: Answer | null): number => {
    if (answer === null) return backoffMs(retries, count);
    const wait = count < retries.retries ? waitAfter(retries, count, answer, call.repeatable) : null;
    if (wait === null) throw toCaratError(answer.status, answer.headers, answer.body);
    return wait;
  };

  const ask = async <Result>(call: Call, reading: Reading, given: PostOptions = {}): Promise<Result> => {
    const options = call.keyed === true ? { idempotencyKey: crypto.randomUUID(), ...given } : given;
    let mayRenew = call.auth === 'integration';
    for (let count = 0; ; count += 1) {
      const token = await tokenOf(call);
      const answer = await attempt(call, reading, options, token).catch((error: unknown) => {
        options.signal?.throwIfAborted();
        if (call.repeatable && count < retries.retries) return null;
        throw new CaratError(`${call.method} ${call.path}: no answer`, { status: 0, code: 'no_answer', cause: error });
      });
      if (answer !== null && answer.status >= 200 && answer.status < 300) return answer.body as Result;
      if (answer?.status === 401 && mayRenew && token !== null) {
        // The token has not expired, but its key or its integration may have changed.
        mayRenew = false;
        tokens.refuse(token);
        count -= 1;
      } else await pause(waitFor(call, count, answer), options.signal);
    }
  };

  return {
    send: (call, options) => ask(call, json, options),
    stream: (mediaType, call, options) => ask(call, bodyOf(mediaType), options),
  };
};
