import type { ServerTime } from '../../domain/tools/outside-clock.ts';
import { RpcError, type RpcErrorKind } from './error.ts';

/** An error below HTTP. Its cause is dropped, because it may name the URL. */
const transportError = (error: unknown, caller: AbortSignal | undefined): RpcError => {
  if (caller?.aborted) return new RpcError('aborted', 'the request was aborted');
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return new RpcError('timeout', 'no response in time');
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : '';
  return new RpcError('unreachable', `the connection failed${code}`);
};

/** Moves credentials of a URL into a header, because fetch refuses them in the URL. */
const target = (text: string): { url: string; headers: Record<string, string> } => {
  const url = new URL(text);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  return { url: url.href, headers };
};

/** Statuses about the size of a request. */
const ofSize = [400, 413, 414, 431];

/** The meaning of a status without JSON-RPC: 400, 413, 414 and 431 are about the request, 401 to 403 about the key. */
const kindOf = (status: number): RpcErrorKind => {
  if (ofSize.includes(status)) return 'rejected';
  if (status >= 401 && status <= 403) return 'denied';
  return status >= 200 && status < 300 ? 'malformed' : 'unreachable';
};

/** Names a body that is no JSON-RPC. */
const formOf = (text: string): string => {
  if (text.trim() === '') return 'an empty body';
  if (/^\s*</.test(text)) return 'a page';
  return text.startsWith('\ufeff') ? 'a byte order mark' : 'another text';
};

/** True for a list, and for what JSON-RPC has. Some endpoints leave out the version of errors; servers in front of them leave out the id too. */
const isJsonRpc = (response: unknown): boolean => {
  if (Array.isArray(response)) return true;
  const { jsonrpc, id, error } = (response ?? {}) as Record<string, unknown>;
  return jsonrpc !== undefined || (id != null && error != null);
};

/** Some endpoints send a JSON-RPC error with another status than 200. Any other body comes from a server in front of the endpoint. */
const jsonRpcOf = (text: string, status: number): unknown => {
  try {
    const response = JSON.parse(text) as unknown;
    if (isJsonRpc(response)) return response;
  } catch {
    // Not even JSON.
  }
  const kind = kindOf(status);
  const without = status < 500 ? ' without JSON-RPC' : '';
  throw new RpcError(kind, `HTTP status ${status}${without}${kind === 'malformed' ? `: ${formOf(text)}` : ''}`);
};

/** The bytes and JSON values that the responses to a batch may still have, in one exchange or in many. */
export interface Budget {
  bytes: number;
  values: number;
}

/**
 * Creates the budget of a batch. No legitimate responses come near 64 MB. There are as many values as logs of that size have; a value
 * costs far more memory and time than a byte.
 */
export const createBudget = (): Budget => ({ bytes: 64_000_000, values: 1_500_000 });

const [COMMA, LIST, OBJECT] = Buffer.from(',[{');

/** The maximum number of values, counted by the characters before them. */
const valuesIn = (part: Uint8Array): number => {
  let count = 0;
  // By index: an iterator takes ten times as long.
  for (let at = 0; at < part.length; at += 1) {
    const byte = part[at];
    if (byte === COMMA || byte === LIST || byte === OBJECT) count += 1;
  }
  return count;
};

const textOf = async ({ body }: Response, budget: Budget): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    budget.bytes -= part.length;
    budget.values -= valuesIn(part);
    if (budget.bytes < 0 || budget.values < 0) throw new RpcError('malformed', 'the response is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

interface End {
  /** Aborted at the end. */
  readonly signal: AbortSignal;
  /** Rejects at the end. */
  readonly reached: Promise<never>;
  forget(): void;
}

/**
 * The end of an exchange, by timeout or by the caller. The race against `reached` ends even if fetch ignores the
 * signal. A timer and the caller's signal hold the controller, because the engine may collect the signals of
 * AbortSignal.any and AbortSignal.timeout, which then never fire.
 */
const endOf = (timeoutMs: number, caller: AbortSignal | undefined): End => {
  const controller = new AbortController();
  const end = (reason: unknown): void => controller.abort(reason);
  const giveUp = (): void => end(caller?.reason);
  const timer = setTimeout(() => end(new DOMException('no response in time', 'TimeoutError')), timeoutMs);
  caller?.addEventListener('abort', giveUp);
  const reached = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error));
  });
  return {
    signal: controller.signal,
    reached,
    forget: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', giveUp);
    },
  };
};

/** Sends a body and returns the JSON-RPC response. */
export type Exchange = (body: unknown, timeoutMs: number, budget: Budget, signal?: AbortSignal) => Promise<unknown>;

/**
 * Exchanges bodies with a URL; fetch keeps connections alive.
 * @param tellTime called with the clock of the server, as its answers show it
 * @throws RpcError `rejected` when an HTTP status alone refuses the request
 */
export const createExchange = (endpointUrl: string, tellTime?: (time: ServerTime) => void): Exchange => {
  const { url, headers } = target(endpointUrl);
  const ask = async (body: unknown, budget: Budget, signal: AbortSignal): Promise<unknown> => {
    const askedAt = Date.now();
    const response = await fetch(url, {
      method: 'POST',
      headers,
      // A redirect would send the request to, and take the response from, another host.
      redirect: 'manual',
      body: JSON.stringify(body),
      signal,
    });
    const date = response.headers.get('date');
    // A response out of a cache has the date of when it was stored.
    if (date !== null && !response.headers.has('age'))
      tellTime?.({ url, askedAt, serverMs: Date.parse(date), endedAt: Date.now() });
    const text = await textOf(response, budget);
    if (response.status === 429) throw new RpcError('overloaded', 'HTTP status 429');
    return jsonRpcOf(text, response.status);
  };
  return async (body, timeoutMs, budget, signal) => {
    const ended = endOf(timeoutMs, signal);
    try {
      signal?.throwIfAborted();
      return await Promise.race([ask(body, budget, ended.signal), ended.reached]);
    } catch (error) {
      throw error instanceof RpcError ? error : transportError(error, signal);
    } finally {
      ended.forget();
    }
  };
};
