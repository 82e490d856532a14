import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { ApiError, toProblem } from './errors.ts';

/** An application that listens. */
export interface HttpServer {
  /** The port that is in use, also when 0 was asked for. */
  readonly port: number;
  /** Takes nothing new, lets what is under way finish for `graceMs`, then cuts the rest off. */
  stop(graceMs: number): Promise<void>;
}

interface Breach {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

const noHttp: Breach = { status: 400, title: 'Bad Request', detail: 'The bytes are no HTTP request' };

/** By the codes of Node. */
const breaches: Readonly<Record<string, Breach>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: `The head of a request must be at most ${http.maxHeaderSize} bytes`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, title: 'Request Timeout', detail: 'The request took too long to arrive' },
};

/** What Node refuses before there is a request: bytes that are no HTTP, or a head that is too large or too slow. */
const answerBrokenRequest = (
  error: Error & { code?: string },
  socket: NodeJS.WritableStream & { writable: boolean },
) => {
  if (!socket.writable || error.code === 'ECONNRESET') return;
  const { status, title, detail } = breaches[error.code ?? ''] ?? noHttp;
  const requestId = randomUUID();
  const problem = toProblem(new ApiError('invalid_request', detail), requestId);
  const body = JSON.stringify({ ...problem, status });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
};

/** Milliseconds that a client may take. */
export interface Deadlines {
  /** From its first byte to the end of a request. */
  readonly requestTimeout: number;
  /** From its first byte to the end of the head. */
  readonly headersTimeout: number;
}

const usual: Deadlines = { requestTimeout: 30_000, headersTimeout: 15_000 };

/** Listens at host and port; 0 is any free port. Deadlines are looked at once a second. */
export const listen = (
  app: RequestListener,
  host: string,
  port: number,
  { requestTimeout, headersTimeout } = usual,
): Promise<HttpServer> =>
  new Promise((resolve, reject) => {
    const server = http.createServer({ requestTimeout, headersTimeout, connectionsCheckingInterval: 1_000 }, app);
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
