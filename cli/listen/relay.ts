import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Maximum size of an event or a response, in bytes. */
const MAX_BYTES = 1_048_576;
/** Timeout of a response, in milliseconds: a little less than the sender's. */
const PATIENCE_MS = 14_000;

/** The headers of an attempt that a receiver needs. */
const passed = ['content-type', 'user-agent', 'authorization', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

export interface RelayServer {
  readonly origin: string;
  close(): Promise<void>;
}

const read = async (request: http.IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new RangeError('a body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Describes an event in one line. */
const describe = (body: Buffer): string => {
  const { type, sequence, data } = JSON.parse(body.toString()) as {
    readonly type: string;
    readonly sequence: number | null;
    readonly data: { readonly payment: { readonly external_id: string; readonly status: string } | null };
  };
  const { payment } = data;
  const line = payment === null ? type : `${type} ${payment.external_id} ${payment.status} (${String(sequence)})`;
  // A merchant's text must not send control characters to the terminal.
  return line.replace(/\p{Cc}/gu, '\uFFFD');
};

const forward = async (url: string, { headers }: http.IncomingMessage, body: Buffer) => {
  const own = passed.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as const] : []));
  const response = await fetch(url, {
    method: 'POST',
    headers: Object.fromEntries(own),
    body: new Uint8Array(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const retryAfter = response.headers.get('retry-after');
  const content = Buffer.from(await response.arrayBuffer()).subarray(0, MAX_BYTES);
  return { status: response.status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter }, content };
};

/**
 * Starts a server on this machine that relays events to a receiver, byte for byte, and its responses back.
 * @param tell receives a line for each event
 */
export const startRelay = async (url: string, tell: (line: string) => void): Promise<RelayServer> => {
  const take = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await read(request);
    const event = describe(body);
    try {
      const { status, headers, content } = await forward(url, request, body);
      tell(`${new Date().toISOString()} ${event}: ${status}`);
      response.writeHead(status, headers).end(content);
    } catch (error) {
      const { cause, message } = error as Error;
      tell(`${new Date().toISOString()} ${event}: no response, ${(cause as Error | undefined)?.message || message}`);
      response.writeHead(502).end();
    }
  };
  const server = http.createServer((request, response) => {
    // Only requests that are no events fail here.
    take(request, response).catch(() => response.writeHead(400).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
