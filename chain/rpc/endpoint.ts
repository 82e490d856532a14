import { RpcError } from './error.ts';

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
}

interface WireAnswer {
  id?: unknown;
  result?: unknown;
  error?: { code?: unknown; message?: unknown; data?: unknown };
}

/** Codes and texts by which providers say "slow down" in an ordinary JSON-RPC error. */
const isOverload = (code: number | undefined, message: string): boolean =>
  code === -32_005 || code === 429 || /rate limit|too many requests|request limit|capacity exceeded/i.test(message);

const failureOf = (error: NonNullable<WireAnswer['error']>): RpcError => {
  const message = typeof error.message === 'string' ? error.message : 'the node gave no message';
  const code = typeof error.code === 'number' ? error.code : undefined;
  return new RpcError(isOverload(code, message) ? 'overloaded' : 'rejected', message, { code, data: error.data });
};

const outcomeOf = (answer: WireAnswer | undefined): RpcOutcome => {
  if (answer === undefined) return { ok: false, error: new RpcError('malformed', 'the endpoint left out an answer') };
  if (answer.error) return { ok: false, error: failureOf(answer.error) };
  if (answer.result === undefined) return { ok: false, error: new RpcError('malformed', 'an answer has no result') };
  return { ok: true, result: answer.result };
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

/** Speaks JSON-RPC 2.0 over HTTP to one URL; connections are kept alive by fetch. */
export const createEndpoint = (text: string): RpcEndpoint => {
  const { url, headers } = target(text);
  /** Set once it has refused batches as such. */
  let oneByOne = false;

  const exchange = async (body: unknown, timeoutMs: number, signal?: AbortSignal): Promise<unknown> => {
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
      const answer = await response.text();
      if (response.status === 429) throw new RpcError('overloaded', 'HTTP status 429');
      if (response.status >= 500) throw new RpcError('unreachable', `HTTP status ${response.status}`);
      return jsonRpcOf(answer, response.status);
    } catch (error) {
      throw error instanceof RpcError ? error : transportError(error, signal);
    }
  };

  const single = async (request: RpcRequest, timeoutMs: number, signal?: AbortSignal): Promise<RpcOutcome> =>
    outcomeOf((await exchange(wire(request, 1), timeoutMs, signal)) as WireAnswer);

  return {
    async post(requests, timeoutMs, signal) {
      if (!oneByOne && requests.length > 1) {
        const answer = await exchange(requests.map(wire), timeoutMs, signal);
        if (Array.isArray(answer)) {
          const byId = new Map((answer as WireAnswer[]).map((item) => [item.id, item]));
          return requests.map((_, id) => outcomeOf(byId.get(id)));
        }
        const refusal = outcomeOf(answer as WireAnswer);
        if (refusal.ok || refusal.error.kind !== 'rejected') {
          throw refusal.ok ? new RpcError('malformed', 'the answer to a batch is no list') : refusal.error;
        }
        oneByOne = true;
      }
      const outcomes: RpcOutcome[] = [];
      for (const request of requests) outcomes.push(await single(request, timeoutMs, signal));
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
