import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { createCrowd, type Crowd } from '../limits/crowd.ts';
import { ApiError, toProblem } from '../errors/errors.ts';

/** With what Node makes requests and responses. */
export type MessageConstructors = Required<Pick<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

type MessageConstructor = MessageConstructors[keyof MessageConstructors];

const withPrototype = <Made extends MessageConstructor>(constructor: Made, prototype: object): Made => {
  // Node's constructors are plain functions. Reflect.construct would do for classes too, and undo all that is won here.
  function Message(this: object, ...parameters: unknown[]): void {
    Reflect.apply(constructor, this, parameters);
  }
  Message.prototype = prototype;
  return Message as unknown as Made;
};

/**
 * Express changes the prototypes of every request and response that it gets, and what V8 has learned of such objects
 * is lost each time: everything that touches them is slow. Made with these prototypes, they are left as they are, and a
 * request takes a third less time.
 */
export const expressMessages = (app: Express): MessageConstructors => ({
  IncomingMessage: withPrototype(http.IncomingMessage, app.request),
  ServerResponse: withPrototype(http.ServerResponse, app.response),
});

/** What answers requests. */
export interface HttpApp {
  readonly listener: RequestListener;
  /** With what Node makes requests and responses; with its own constructors by default. */
  readonly messages?: MessageConstructors;
}

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

const noHttp: Breach = { status: 400, title: 'Bad Request', detail: 'The bytes are not an HTTP request' };

/** By the codes of Node. */
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

/** Headers that a request has once: of two a proxy may believe the one and Carat the other (RFC 9112 sections 3.2 and 6.3). */
const single: ReadonlySet<string> = new Set([
  ...['host', 'authorization', 'content-length', 'content-type', 'transfer-encoding'],
]);

/** What is wrong with the head of a request that Node takes; null for nothing. */
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

/** Milliseconds in which a client may take the last answer before its socket is cut. */
const FAREWELL_MS = 1_000;

/** Ends a connection with a problem, whether its client reads it or not. */
const answerBreach = (socket: Duplex, breach: Breach): void => {
  const { body, headers } = problemOf(breach);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${breach.status} ${breach.title}\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
};

/** What Node refuses before there is a request: bytes that are no HTTP, or a head that is too large or too slow. */
const answerBrokenRequest = (error: Error & { code?: string }, socket: Duplex): void => {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else answerBreach(socket, breaches[error.code ?? ''] ?? noHttp);
};

/** Requests of one socket that are answered at the same time; those that came after them wait their turn. */
const MAX_UNDER_WAY = 4;
/** Requests that may wait on one socket. Nobody pipelines as many in good faith. */
const MAX_WAITING = 100;

/** The requests of one socket. */
interface Turns {
  readonly underWay: Set<ServerResponse>;
  readonly waiting: (() => void)[];
}

/**
 * Ends the answers that have not come to the socket yet when it closes: Node tells only the one that is being written, and
 * whoever waits for the end of another, such as its turn of the node, would wait for ever.
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
 * Bounds what one socket can ask for at once. Node would begin every request of a chunk as it is parsed, and keep every
 * answer that the client does not read.
 */
const inTurn = (listener: RequestListener, crowd: Crowd, answerTimeout: number): RequestListener => {
  const sockets = new WeakMap<Socket, Turns>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const turns = sockets.get(socket) ?? turnsOf(socket);
    sockets.set(socket, turns);
    const { underWay, waiting } = turns;
    const begin = (): void => {
      underWay.add(response);
      crowd.asks(socket);
      const late = setTimeout(() => socket.destroy(), answerTimeout);
      response.once('close', () => {
        clearTimeout(late);
        underWay.delete(response);
        if (!socket.destroyed) waiting.shift()?.();
        if (underWay.size === 0) crowd.rests(socket);
      });
      listener(request, response);
    };
    if (underWay.size < MAX_UNDER_WAY) begin();
    else if (waiting.length < MAX_WAITING) waiting.push(begin);
    else dropFlood(socket);
  };
};

/** A socket with Node's parser, which has no public interface. */
type ParsedSocket = Socket & { readonly parser?: { onIncoming: () => number } | null };

/**
 * Ends a socket on which too many requests wait. Node would go on to make requests of all that has arrived, which can be
 * a thousand more; told that what follows is another protocol (2), its parser stops.
 */
const dropFlood = (socket: ParsedSocket): void => {
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
};

/**
 * The target without the origin that a proxy would get (RFC 9112 section 3.2.2), as it came here for any host, and
 * without a fragment, which is for the client alone.
 */
const originForm = (whole: string): string => {
  const target = whole.replace(/#.*$/s, '');
  const absolute = /^https?:\/\/[^/?#]+(.*)$/is.exec(target);
  if (absolute === null || !URL.canParse(target)) return target;
  const [, rest = ''] = absolute;
  return rest.startsWith('/') ? rest : `/${rest}`;
};

/** How long clients may take, in milliseconds, and how many there may be. */
export interface SocketLimits {
  /** From its first byte to the end of a request. */
  readonly requestTimeout: number;
  /** From its first byte to the end of the head. */
  readonly headersTimeout: number;
  /** From the turn of a request to the last byte of its answer, which a client may take as slowly as it likes. */
  readonly answerTimeout: number;
  /** Without a byte read or written, in whatever state the socket is. */
  readonly silenceTimeout: number;
  /** A request that has been under way for longer makes room for who comes when all sockets have one. */
  readonly longRequest: number;
  /** Open sockets at most; each costs some 20 kB. */
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

/** Listens at host and port; 0 is any free port. Deadlines are looked at once a second. */
export const listen = (
  { listener, messages }: HttpApp,
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
    const crowd = createCrowd(maxConnections, longRequest);
    const answer = inTurn(checked, crowd, answerTimeout);
    const options = { ...messages, ...timeouts, connectionsCheckingInterval: 1_000, requireHostHeader: false };
    const server = http.createServer(options, answer);
    server.on('connection', (socket) => {
      crowd.joins(socket);
      // Node lets go of sockets that ask for a tunnel; what becomes of one must never end the process.
      socket.on('error', () => socket.destroy());
    });
    // An answer that nobody reads is silence too.
    server.setTimeout(silenceTimeout, (socket) => socket.destroy());
    // Node would refuse what it does not know without saying why; a server may as well ignore it (RFC 9110 section 10.1.1).
    server.on('checkExpectation', answer);
    server.on('connect', (_request, socket) => answerBreach(socket, noProxy));
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
            const cut = setTimeout(() => crowd.all.forEach((socket) => socket.destroy()), graceMs);
            server.close(() => {
              clearTimeout(cut);
              stopped();
            });
            server.closeIdleConnections();
          }),
      });
    });
  });
