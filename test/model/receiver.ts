import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A merchant's server that stores events, and refuses some of them at first. */
export interface ModelReceiver {
  readonly origin: string;
  /** Every body that came with a webhook id, in the order in which they came. */
  bodiesOf(webhookId: string): readonly string[];
  close(): Promise<void>;
}

/** One delivery in so many is answered 500 when it comes for the first time. */
const REFUSED = 8;

/** Starts one on a free port. */
export const startModelReceiver = async (): Promise<ModelReceiver> => {
  const bodies = new Map<string, string[]>();
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const received = bodies.get(id) ?? [];
      bodies.set(id, [...received, Buffer.concat(parts).toString('utf8')]);
      const isRefused = received.length === 0 && bodies.size % REFUSED === 0;
      response.writeHead(isRefused ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodiesOf: (webhookId) => bodies.get(webhookId) ?? [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
