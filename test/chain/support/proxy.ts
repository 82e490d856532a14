import http from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy's treatment of requests: `pass` them on, `refuse` the connection, answer `500` or `429`, `swallow` the reply
 * after passing the request on, `stall` without an answer, answer a `page` instead of JSON, or take `single` requests
 * only.
 */
export type ProxyMode = 'pass' | 'refuse' | '500' | '429' | 'swallow' | 'stall' | 'page' | 'single';

/** One request as it came in. */
export interface WireRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The answer to one request. */
export type WireAnswer = { readonly result: unknown } | { readonly error: { code: number; message: string } };

type Rewritten = WireRequest | WireAnswer;

export interface Proxy {
  readonly url: string;
  mode: ProxyMode;
  /** The refusal of a whole batch; undefined to accept it. */
  refuseBatch: ((requests: readonly WireRequest[]) => unknown) | null;
  /** The HTTP status that requests are answered alone with; undefined where they are not refused so. */
  refuseStatus: ((requests: readonly WireRequest[]) => number | undefined) | null;
  /** Passes another request on, or answers without asking the node. */
  rewrite: ((request: WireRequest) => Rewritten | Promise<Rewritten>) | null;
  /** Changes the node's result of a request. */
  tamper: ((request: WireRequest, result: unknown) => unknown) | null;
  /** Called for each HTTP request that comes in, before its answer. */
  onExchange: (() => void) | null;
  /** Sends the answers in another form; false to send them as usual. */
  send: ((response: http.ServerResponse, answers: readonly unknown[], isList: boolean) => boolean) | null;
  /** Milliseconds by which the clock in its answers is ahead. */
  clockMs: number;
  /** Where requests go; may change at any time. */
  target: string;
  /** Methods of all requests that came in. */
  readonly seen: string[];
  /** The same by HTTP request. */
  readonly exchanges: string[][];
  close(): Promise<void>;
}

const bodyOf = async (request: http.IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
}

/** The node's responses to the requests that are passed on, and the answers to the others, in the order of the requests. */
const answersTo = async (
  { rewrite, tamper, target }: Pick<Proxy, 'rewrite' | 'tamper' | 'target'>,
  requests: readonly WireRequest[],
): Promise<unknown[]> => {
  const plan = async (request: WireRequest) => ({ request, plan: (await rewrite?.(request)) ?? request });
  const plans = await Promise.all(requests.map(plan));
  const passedOn = plans.flatMap(({ request, plan }) => ('method' in plan ? [{ ...request, ...plan }] : []));
  const said: Answer[] =
    passedOn.length === 0
      ? []
      : await fetch(target, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(passedOn),
        }).then((response) => response.json() as Promise<Answer[]>);
  // A node that refuses a batch as a whole gives one error for all of it.
  if (said.length < passedOn.length) return said;
  return plans.map(({ request, plan }) => {
    if (!('method' in plan)) return { jsonrpc: '2.0', id: request.id, ...plan };
    const answer = said.find(({ id }) => id === request.id);
    return tamper === null || answer?.result === undefined
      ? answer
      : { ...answer, result: tamper(request, answer.result) };
  });
};

/** Starts an HTTP server that stands between a client and a node. */
export const startProxy = async (target: string): Promise<Proxy> => {
  const state = {
    mode: 'pass' as ProxyMode,
    refuseBatch: null as Proxy['refuseBatch'],
    refuseStatus: null as Proxy['refuseStatus'],
    rewrite: null as Proxy['rewrite'],
    tamper: null as Proxy['tamper'],
    onExchange: null as Proxy['onExchange'],
    send: null as Proxy['send'],
    clockMs: 0,
    target,
    seen: [] as string[],
    exchanges: [] as string[][],
  };
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    state.onExchange?.();
    const { mode } = state;
    response.setHeader('date', new Date(Date.now() + state.clockMs).toUTCString());
    if (mode === 'refuse') return void request.socket.destroy();
    if (mode === 'stall') return;
    if (mode === '500' || mode === '429') return void response.writeHead(Number(mode)).end('{"error":"not now"}');
    const wire = JSON.parse(body) as WireRequest | WireRequest[];
    const methods = [wire].flat().map(({ method }) => method);
    state.seen.push(...methods);
    state.exchanges.push(methods);
    const status = state.refuseStatus?.([wire].flat());
    if (status !== undefined) return void response.writeHead(status, { 'content-type': 'text/plain' }).end('refused');
    const noBatches = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no batches' } };
    const refusal = Array.isArray(wire) ? (mode === 'single' ? noBatches : state.refuseBatch?.(wire)) : undefined;
    if (refusal !== undefined)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
    if (mode === 'page') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>It works!</h1>');
    const answers = await answersTo(state, [wire].flat());
    if (mode === 'swallow') return void request.socket.destroy();
    if (state.send?.(response, answers, Array.isArray(wire))) return;
    const text = JSON.stringify(Array.isArray(wire) ? answers : answers[0]);
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };
  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
};

/** Lies of an endpoint for which nothing is on the chain: no code, only zeros, no answers of contracts. */
export const emptyChainLies: readonly Proxy['tamper'][] = [
  ({ method }, result) => (method === 'eth_getCode' ? '0x' : result),
  ({ method }, result) => (method === 'eth_call' ? `0x${'00'.repeat(64)}` : result),
  ({ method }, result) => (method === 'eth_call' ? '0x' : result),
];
