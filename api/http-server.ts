import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import { ApiError, toProblem } from './errors.ts';

/** An application that listens. */
export interface HttpServer {
  /** The port that is in use, also when 0 was asked for. */
  readonly port: number;
  /** Takes nothing new, lets what is under way finish for `graceMs`, then cuts the rest off. */
  stop(graceMs: number): Promise<void>;
}

/** What Node refuses before there is a request: bytes that are no HTTP, or a head that is too large or too slow. */
const answerBrokenRequest = (
  error: Error & { code?: string },
  socket: NodeJS.WritableStream & { writable: boolean },
) => {
  if (!socket.writable || error.code === 'ECONNRESET') return;
  const problem = toProblem(new ApiError('invalid_request', 'The bytes are no HTTP request'), randomUUID());
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
};

/** Listens at host and port; 0 is any free port. */
export const listen = (app: Express, host: string, port: number): Promise<HttpServer> =>
  new Promise((resolve, reject) => {
    // Express answers with a promise that it handles by itself.
    const server = http.createServer((request, response) => void app(request, response));
    server.requestTimeout = 30_000;
    server.headersTimeout = 15_000;
    // Longer than a proxy keeps an idle connection, so that the proxy is the one who closes it.
    server.keepAliveTimeout = 65_000;
    server.on('clientError', answerBrokenRequest);
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        stop: (graceMs) =>
          new Promise((stopped) => {
            const cut = setTimeout(() => server.closeAllConnections(), graceMs);
            server.close(() => {
              clearTimeout(cut);
              stopped();
            });
            server.closeIdleConnections();
          }),
      });
    });
  });
