import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy before an RPC endpoint. */
export interface CountingProxy {
  readonly url: string;
  /** HTTP requests so far, and JSON-RPC calls in them by method. */
  counts(): { readonly requests: number; readonly calls: Readonly<Record<string, number>> };
  stop(): void;
}

/** Starts a proxy that passes requests on as they came, and counts them. */
export const startCountingProxy = async (target: string): Promise<CountingProxy> => {
  let requests = 0;
  const calls = new Map<string, number>();
  const server = http.createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      requests += 1;
      for (const { method } of [JSON.parse(body.toString()) as { method: string } | { method: string }[]].flat())
        calls.set(method, (calls.get(method) ?? 0) + 1);
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Uint8Array(body),
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => ({ requests, calls: Object.fromEntries(calls) }),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
