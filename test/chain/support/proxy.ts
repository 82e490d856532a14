import http from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * How a proxy treats what comes in: `pass` it on, `refuse` the connection, answer `500` or `429`, `swallow` the reply
 * after passing the request on, or `stall` without an answer.
 */
export type ProxyMode = 'pass' | 'refuse' | '500' | '429' | 'swallow' | 'stall';

/** One request as it came in. */
export interface WireRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface Proxy {
  readonly url: string;
  mode: ProxyMode;
  /** Makes another result of what the node has answered to a request. */
  tamper: ((request: WireRequest, result: unknown) => unknown) | null;
  /** Where requests go; may change at any time. */
  target: string;
  /** Methods of all requests that came in. */
  readonly seen: string[];
  close(): Promise<void>;
}

const bodyOf = async (request: http.IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

interface WireAnswer {
  readonly id: unknown;
  readonly result?: unknown;
}

const tampered = (tamper: Proxy['tamper'], wire: WireRequest | WireRequest[], text: string): string => {
  if (tamper === null) return text;
  const requests = [wire].flat();
  const change = (answer: WireAnswer): WireAnswer => {
    const request = requests.find(({ id }) => id === answer.id);
    return request === undefined || answer.result === undefined
      ? answer
      : { ...answer, result: tamper(request, answer.result) };
  };
  const answer = JSON.parse(text) as WireAnswer | WireAnswer[];
  return JSON.stringify(Array.isArray(answer) ? answer.map(change) : change(answer));
};

/** Starts an HTTP server that stands between a client and a node. */
export const startProxy = async (target: string): Promise<Proxy> => {
  const state = { mode: 'pass' as ProxyMode, tamper: null as Proxy['tamper'], target, seen: [] as string[] };
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const { mode } = state;
    if (mode === 'refuse') return void request.socket.destroy();
    if (mode === 'stall') return;
    if (mode === '500' || mode === '429') return void response.writeHead(Number(mode)).end('{"error":"not now"}');
    const wire = JSON.parse(body) as WireRequest | WireRequest[];
    state.seen.push(...[wire].flat().map(({ method }) => method));
    const upstream = await fetch(state.target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await upstream.text();
    if (mode === 'swallow') return void request.socket.destroy();
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(tampered(state.tamper, wire, text));
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
