import { isWellFormed } from './answers.ts';
import { isOverload, RpcError } from './error.ts';

export interface RpcRequest {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** The answer to one request of a batch: its result, or why there is none. */
export type RpcOutcome =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: RpcError };

/**
 * The result of an outcome.
 * @throws RpcError when there is none
 */
export const resultOf = (outcome: RpcOutcome | undefined): unknown => {
  if (!outcome?.ok) throw outcome?.error ?? new RpcError('malformed', 'the endpoint left out an answer');
  return outcome.result;
};

/** One URL. */
export interface RpcEndpoint {
  /**
   * Sends requests as one JSON-RPC batch, which are run in order.
   * @returns outcomes in the order of the requests
   * @throws RpcError when there is no answer at all
   */
  post(requests: readonly RpcRequest[], timeoutMs: number, signal?: AbortSignal): Promise<RpcOutcome[]>;
  /** Requests that it takes in one batch, as far as it has refused longer ones as such; Infinity where it has refused none. */
  longestBatch(): number;
}

interface WireAnswer {
  id?: unknown;
  result?: unknown;
  error?: { code?: unknown; message?: unknown; data?: unknown } | null;
}

const failureOf = (error: NonNullable<WireAnswer['error']>, method?: string): RpcError => {
  const message = typeof error.message === 'string' ? error.message.slice(0, 3_000) : 'the node gave no message';
  const code = typeof error.code === 'number' ? error.code : undefined;
  return new RpcError(isOverload(code ?? null, message) ? 'overloaded' : 'rejected', message, {
    method,
    code,
    data: error.data,
  });
};

const malformed = (message: string): RpcOutcome => ({ ok: false, error: new RpcError('malformed', message) });

const outcomeOf = (request: RpcRequest, answer: WireAnswer | null | undefined): RpcOutcome => {
  if (answer == null) return malformed(`no answer to ${request.method}`);
  if (answer.error) return { ok: false, error: failureOf(answer.error, request.method) };
  const { result } = answer;
  if (result !== undefined && isWellFormed(request, result)) return { ok: true, result };
  // What is not known by that tag may be answered by nothing at all.
  if (request.params?.[1] === 'pending') return { ok: false, error: new RpcError('rejected', 'no pending block') };
  return malformed(`nonsense as an answer to ${request.method}`);
};

/** What went wrong below HTTP. The cause is not kept: it may name the URL. */
const transportError = (error: unknown, caller: AbortSignal | undefined): RpcError => {
  if (caller?.aborted) return new RpcError('aborted', 'the request was given up');
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return new RpcError('timeout', 'no answer in time');
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : '';
  return new RpcError('unreachable', `the connection failed${code}`);
};

/** Credentials of a URL go into a header, because fetch refuses them in the URL. */
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

/** Some endpoints answer with a JSON-RPC error and a 4xx; what is no JSON-RPC comes from something before it. */
const jsonRpcOf = (text: string, status: number): unknown => {
  try {
    const answer = JSON.parse(text) as unknown;
    if (Array.isArray(answer) || (answer as { jsonrpc?: unknown } | null)?.jsonrpc !== undefined) return answer;
  } catch {
    // Not even JSON.
  }
  throw new RpcError(status === 200 ? 'malformed' : 'unreachable', `HTTP status ${status} without JSON-RPC`);
};

/** Bytes of one answer; nothing that is asked for here comes near. */
const MAX_ANSWER = 64_000_000;
/** Values in it, each of which takes far more memory and time than its bytes: as many as so many bytes of logs have. */
const MAX_VALUES = 1_500_000;
const [COMMA, LIST, OBJECT] = Buffer.from(',[{');

/** How many values there are at most, by the signs before them. */
const valuesIn = (part: Uint8Array): number => {
  let count = 0;
  // By its place: an iterator takes ten times as long.
  for (let at = 0; at < part.length; at += 1) {
    const byte = part[at];
    if (byte === COMMA || byte === LIST || byte === OBJECT) count += 1;
  }
  return count;
};

const textOf = async ({ body }: Response): Promise<string> => {
  const parts: Uint8Array[] = [];
  let [size, values] = [0, 0];
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    values += valuesIn(part);
    if (size > MAX_ANSWER || values > MAX_VALUES) throw new RpcError('malformed', 'the answer has no end');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

/** Milliseconds after which an endpoint that refused a batch is tried with a longer one again. */
const SHORTER_BATCHES_MS = 3_600_000;
/**
 * Milliseconds that each further exchange may take on the average where a batch was refused, since the first one: an endpoint that drips
 * holds up its network.
 */
const FURTHER_EXCHANGE_MS = 250;

/** How endpoints say that they do not take a batch for its length, or do not answer it for the size of the answer. */
const ofBatches = /\bbatch|response (is )?too large/i;
/** How they ask for a pause, also where they name batches: shorter ones would be more requests. */
const ofPauses = /\brate\b|too many requests|per (second|minute)/i;

const isOfBatch = ({ message, revertData, code }: RpcError): boolean =>
  revertData === null && code !== 429 && ofBatches.test(message) && !ofPauses.test(message);

/**
 * What an endpoint says when it refuses a batch as such: one error in place of a list (JSON-RPC 2.0, section 6), a list that consists of
 * one error (geth), or an error that names batches for each request, or for each from one of them on.
 */
const refusalOf = (answer: unknown): RpcError | null => {
  const all = (Array.isArray(answer) ? answer : [answer]) as (WireAnswer | null)[];
  const errors = all.map((item) => (item?.error ? failureOf(item.error) : null));
  const first = errors.findIndex((error) => error !== null && isOfBatch(error));
  if (first >= 0 && errors.slice(first).every((error) => error !== null && isOfBatch(error))) return errors[first]!;
  return all.length === 1 ? errors[0]! : null;
};

/** Sends one body to a URL and answers what comes back, once it is JSON-RPC. */
const createExchange = (text: string) => {
  const { url, headers } = target(text);
  return async (body: unknown, timeoutMs: number, signal?: AbortSignal): Promise<unknown> => {
    // A timer holds this signal. The engine may collect an AbortSignal.timeout that only AbortSignal.any refers to; it never fires then.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new DOMException('no answer in time', 'TimeoutError')), timeoutMs);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        // It would be somebody else who answers, or hears.
        redirect: 'manual',
        body: JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      });
      const answer = await textOf(response);
      if (response.status === 429) throw new RpcError('overloaded', 'HTTP status 429');
      if (response.status >= 500) throw new RpcError('unreachable', `HTTP status ${response.status}`);
      return jsonRpcOf(answer, response.status);
    } catch (error) {
      throw error instanceof RpcError ? error : transportError(error, signal);
    } finally {
      clearTimeout(timer);
    }
  };
};

/** Speaks JSON-RPC 2.0 over HTTP to one URL; connections are kept alive by fetch. */
export const createEndpoint = (text: string): RpcEndpoint => {
  const exchange = createExchange(text);
  /** The longest batch that it gets, and until when: it may have been a bad moment. */
  let refused = { longest: Infinity, until: -Infinity };
  const longestBatch = (): number => (performance.now() < refused.until ? refused.longest : Infinity);

  const single = async (request: RpcRequest, timeoutMs: number, signal?: AbortSignal): Promise<RpcOutcome> => {
    const outcome = outcomeOf(request, (await exchange(wire(request, 1), timeoutMs, signal)) as WireAnswer);
    // It is refused by itself too, so that was not about batches.
    if (!outcome.ok && isOfBatch(outcome.error)) refused = { longest: Infinity, until: -Infinity };
    return outcome;
  };

  /** @returns null where the endpoint refuses so many requests at once */
  const exchangeBatch = async (
    requests: readonly RpcRequest[],
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<RpcOutcome[] | null> => {
    if (requests.length === 1) return [await single(requests[0]!, timeoutMs, signal)];
    const answer = await exchange(requests.map(wire), timeoutMs, signal);
    const refusal = refusalOf(answer);
    if (refusal) {
      if (refusal.kind !== 'rejected' && !isOfBatch(refusal)) throw refusal;
      // One that was under way beside this may have been refused at less.
      const longest = Math.min(longestBatch(), Math.ceil(requests.length / 2));
      refused = { longest, until: performance.now() + SHORTER_BATCHES_MS };
      return null;
    }
    if (!Array.isArray(answer)) throw new RpcError('malformed', 'the answer to a batch is no list');
    const byId = new Map((answer as (WireAnswer | null)[]).map((item) => [item?.id, item]));
    return requests.map((request, id) => outcomeOf(request, byId.get(id)));
  };

  return {
    longestBatch,

    async post(requests, timeoutMs, signal) {
      const outcomes: RpcOutcome[] = [];
      let until = performance.now() + timeoutMs;
      while (outcomes.length < requests.length) {
        const part = requests.slice(outcomes.length, outcomes.length + longestBatch());
        const answers = await exchangeBatch(part, until - performance.now(), signal);
        if (answers === null) continue;
        outcomes.push(...answers);
        until += FURTHER_EXCHANGE_MS;
      }
      return outcomes;
    },
  };
};

const wire = ({ method, params = [] }: RpcRequest, id: number): object => ({ jsonrpc: '2.0', id, method, params });

/** Bytes of one HTTP body; endpoints take 2 MB or more. */
const MAX_BODY = 1_500_000;

/** Cuts a list so that neither the number of requests nor the size of the body is too large for an endpoint. */
export const chunks = (requests: readonly RpcRequest[], maxBatch: number): RpcRequest[][] => {
  const all: RpcRequest[][] = [];
  let size = 0;
  for (const request of requests) {
    const own = request.params?.reduce<number>((sum, param) => sum + sizeOf(param), 0) ?? 0;
    const last = all.at(-1);
    if (!last || last.length >= maxBatch || size + own > MAX_BODY) {
      all.push([request]);
      size = own;
    } else {
      last.push(request);
      size += own;
    }
  }
  return all;
};

const sizeOf = (param: unknown): number => {
  if (typeof param === 'string') return param.length;
  const data = (param as { data?: unknown } | null)?.data;
  return typeof data === 'string' ? data.length : 100;
};
