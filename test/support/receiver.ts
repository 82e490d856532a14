import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request as a receiver got it. */
export interface Received {
  readonly at: number;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request, or lets it hang. */
export type Answers = (request: Received, response: http.ServerResponse, socket: Socket) => void;

/** A server of a merchant's. */
export interface Receiver {
  readonly origin: string;
  readonly received: Received[];
  /** Connections that were made to it. */
  readonly connections: () => number;
  /** Its response from now on. */
  answer(how: Answers): void;
  close(): Promise<void>;
}

/** The response of a healthy receiver. */
export const ok: Answers = (_request, response) => response.writeHead(204).end();

/** Behaviour of a receiver. */
export interface ReceiverOptions {
  readonly answer?: Answers;
  /** PEM; without it the server speaks plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly port?: number;
  readonly host?: string;
  /** Closes no idle connection. */
  readonly isPatient?: boolean;
}

/** Starts a receiver on a loopback address. */
export const startReceiver = async ({
  answer = ok,
  tls,
  port = 0,
  host = '127.0.0.1',
  isPatient = false,
}: ReceiverOptions = {}): Promise<Receiver> => {
  let answers = answer;
  let connections = 0;
  const received: Received[] = [];
  const handle: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const got = { at: Date.now(), path, headers, body: Buffer.concat(chunks).toString() };
      received.push(got);
      answers(got, response, request.socket);
    });
  };
  const server = tls === undefined ? http.createServer(handle) : https.createServer(tls, handle);
  if (isPatient) server.keepAliveTimeout = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const bound = (server.address() as AddressInfo).port;
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://${host}:${bound}`,
    received,
    connections: () => connections,
    answer: (how) => {
      answers = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
