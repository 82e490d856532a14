import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, toProblem } from '../errors/errors.ts';
import { createOpenSockets, onceLasting, joinSocket, type OpenSockets } from '../limits/open-sockets.ts';
import { stopParsing } from './node-parser.ts';

/** A listening application. */
export interface HttpServer {
  /** The port in use, also when 0 was requested. */
  readonly port: number;
  /** Stops accepting, lets requests under way finish for `graceMs`, then closes all sockets. */
  stop(graceMs: number): Promise<void>;
}

interface Breach {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

const noHttp: Breach = { status: 400, title: 'Bad Request', detail: 'The bytes are not an HTTP request' };

/** Breaches by Node's error code. */
const breaches: Readonly<Record<string, Breach>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: `The head of a request must be at most ${http.maxHeaderSize} bytes`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, title: 'Request Timeout', detail: 'The request took too long to arrive' },
};

const noProxy: Breach = { status: 400, title: 'Bad Request', detail: 'This server is not a proxy' };

const noHost: Breach = { status: 400, title: 'Bad Request', detail: 'An HTTP/1.1 request needs a Host header' };

/**
 * Headers that a request has at most once: a proxy might believe one of two and Carat the other (RFC 9112 sections 3.2 and
 * 6.3).
 */
const single: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-length',
  'content-type',
  'transfer-encoding',
]);

/** A fault in the head of a request that Node accepts; null for none. */
const breachOf = ({ headers, httpVersion, rawHeaders }: IncomingMessage): Breach | null => {
  if (headers.host === undefined && httpVersion === '1.1') return noHost;
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!single.has(name)) continue;
    if (seen.has(name)) {
      return { status: 400, title: 'Bad Request', detail: `A request must have at most one header ${name}` };
    }
    seen.add(name);
  }
  return null;
};

const problemOf = ({ status, detail }: Breach): { body: string; headers: Record<string, string | number> } => {
  const requestId = randomUUID();
  const problem = toProblem(new ApiError('invalid_request', detail), requestId);
  const body = JSON.stringify({ ...problem, status });
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { body, headers };
};

/** Milliseconds for a client to read the last answer before its socket is closed. */
const FAREWELL_MS = 1_000;

/** Ends a connection with a problem, whether or not the client reads it. */
const answerBreach = (socket: Duplex, breach: Breach): void => {
  const { body, headers } = problemOf(breach);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${breach.status} ${breach.title}\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
};

/**
 * Answers input that Node rejects before a request exists: bytes that are not HTTP, or a head that is too large or
 * slow.
 */
const answerBrokenRequest = (error: Error & { code?: string }, socket: Duplex): void => {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else answerBreach(socket, breaches[error.code ?? ''] ?? noHttp);
};

/** Most requests of one socket under way at once; later ones wait. */
const MAX_UNDER_WAY = 4;
/** Most waiting requests of one socket. No honest client pipelines as many. */
const MAX_WAITING = 100;

interface Turns {
  readonly underWay: Set<ServerResponse>;
  readonly waiting: (() => void)[];
}

/**
 * Ends the answers that have not reached the socket when it closes. Node notifies only the answer that is being
 * written. Otherwise everything that waits for the end of another answer, such as a turn of its node, would wait
 * forever.
 */
const turnsOf = (socket: Socket): Turns => {
  const turns: Turns = { underWay: new Set(), waiting: [] };
  socket.once('close', () => {
    for (const response of turns.underWay) {
      if (response.socket !== null) continue;
      response.destroy();
      response.emit('close');
    }
  });
  return turns;
};

/**
 * Bounds the requests of one socket. Node would start every request of a chunk as it is parsed, and buffer every answer
 * that the client does not read.
 */
const inTurn = (listener: RequestListener, openSockets: OpenSockets, answerTimeout: number): RequestListener => {
  const sockets = new WeakMap<Socket, Turns>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const turns = sockets.get(socket) ?? turnsOf(socket);
    sockets.set(socket, turns);
    const { underWay, waiting } = turns;
    const begin = (): void => {
      underWay.add(response);
      openSockets.requestBegins(socket);
      joinSocket(socket, response);
      const late = setTimeout(() => socket.destroy(), answerTimeout);
      onceLasting(response, () => {
        clearTimeout(late);
        openSockets.streamBegins(socket);
      });
      response.once('close', () => {
        clearTimeout(late);
        underWay.delete(response);
        if (!socket.destroyed) waiting.shift()?.();
        if (underWay.size === 0) openSockets.requestEnds(socket);
      });
      listener(request, response);
    };
    if (underWay.size < MAX_UNDER_WAY) begin();
    else if (waiting.length < MAX_WAITING) waiting.push(begin);
    else dropFlood(socket);
  };
};

/**
 * Ends a socket on which too many requests wait. Otherwise Node would parse all bytes that have arrived into requests,
 * 1,000 or more.
 */
const dropFlood = (socket: Socket): void => {
  stopParsing(socket);
  socket.destroy();
};

/**
 * The target without the origin of the absolute form (RFC 9112 section 3.2.2), whose host is ignored, and without a
 * fragment.
 */
const originForm = (whole: string): string => {
  const target = whole.replace(/#.*$/s, '');
  const absolute = /^https?:\/\/[^/?#]+(.*)$/is.exec(target);
  if (absolute === null || !URL.canParse(target)) return target;
  const [, rest = ''] = absolute;
  return rest.startsWith('/') ? rest : `/${rest}`;
};

/** Time limits of clients in milliseconds, and the limit of sockets. */
export interface SocketLimits {
  /** From the first byte to the end of a request. */
  readonly requestTimeout: number;
  /** From the first byte to the end of the head. */
  readonly headersTimeout: number;
  /** From the start of a request to the last byte of its answer, which a client may read slowly. */
  readonly answerTimeout: number;
  /** Without a byte read or written, in any state of the socket. */
  readonly silenceTimeout: number;
  /** When all sockets have a request, a new client replaces one whose request takes longer than this. */
  readonly longRequest: number;
  /** Most open sockets; each costs some 20 kB. */
  readonly maxConnections: number;
}

const usual: SocketLimits = {
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  answerTimeout: 90_000,
  silenceTimeout: 70_000,
  longRequest: 5_000,
  maxConnections: 8_000,
};

/** Listens on a host and port; 0 is any free port. Deadlines are checked once a second. */
export const listenHttp = (
  listener: RequestListener,
  host: string,
  port: number,
  limits: Partial<SocketLimits> = {},
): Promise<HttpServer> =>
  new Promise((resolve, reject) => {
    const checked: RequestListener = (request, response) => {
      request.url = originForm(request.url ?? '');
      const breach = breachOf(request);
      if (breach === null) return listener(request, response);
      const { body, headers } = problemOf(breach);
      response.writeHead(breach.status, headers).end(body);
    };
    const { answerTimeout, silenceTimeout, longRequest, maxConnections, ...timeouts } = { ...usual, ...limits };
    const openSockets = createOpenSockets(maxConnections, longRequest);
    const answer = inTurn(checked, openSockets, answerTimeout);
    const options = { ...timeouts, connectionsCheckingInterval: 1_000, requireHostHeader: false };
    const server = http.createServer(options, answer);
    server.on('connection', (socket) => {
      openSockets.opens(socket);
      // Node detaches sockets that ask for a tunnel; their errors must not end the process.
      socket.on('error', () => socket.destroy());
    });
    // This also applies to answers that no client reads.
    server.setTimeout(silenceTimeout, (socket) => socket.destroy());
    // Node would reject unknown expectations without a reason; a server may ignore them (RFC 9110 section 10.1.1).
    server.on('checkExpectation', answer);
    server.on('connect', (_request, socket) => answerBreach(socket, noProxy));
    // Longer than proxies keep idle connections, so that the proxy closes first.
    server.keepAliveTimeout = 65_000;
    server.on('clientError', answerBrokenRequest);
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        stop: (graceMs) =>
          new Promise((stopped) => {
            const cut = setTimeout(() => openSockets.all.forEach((socket) => socket.destroy()), graceMs);
            server.close(() => {
              clearTimeout(cut);
              stopped();
            });
            server.closeIdleConnections();
          }),
      });
    });
  });
