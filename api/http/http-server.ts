import { randomUUID } from 'node:crypto';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { ApiError, toProblem } from './errors.ts';

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

const noProxy: Breach = { status: 400, title: 'Bad Request', detail: 'This is no proxy' };

const noHost: Breach = { status: 400, title: 'Bad Request', detail: 'A request of HTTP/1.1 needs a Host header' };

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

/** Ends a connection with a problem. */
const answerBreach = (socket: NodeJS.WritableStream, breach: Breach): void => {
  const { body, headers } = problemOf(breach);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${breach.status} ${breach.title}\r\n${lines.join('')}\r\n${body}`);
};

/** What Node refuses before there is a request: bytes that are no HTTP, or a head that is too large or too slow. */
const answerBrokenRequest = (error: Error & { code?: string }, socket: NodeJS.WritableStream): void => {
  if (!socket.writable || error.code === 'ECONNRESET') return;
  answerBreach(socket, breaches[error.code ?? ''] ?? noHttp);
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
  { listener, messages }: HttpApp,
  host: string,
  port: number,
  { requestTimeout, headersTimeout } = usual,
): Promise<HttpServer> =>
  new Promise((resolve, reject) => {
    const checked: RequestListener = (request, response) => {
      request.url = originForm(request.url ?? '');
      if (request.headers.host === undefined && request.httpVersion === '1.1') {
        const { body, headers } = problemOf(noHost);
        response.writeHead(noHost.status, headers).end(body);
      } else {
        listener(request, response);
      }
    };
    const deadlines = { requestTimeout, headersTimeout, connectionsCheckingInterval: 1_000 };
    const server = http.createServer({ ...messages, ...deadlines, requireHostHeader: false }, checked);
    // Node would refuse what it does not know without saying why; a server may as well ignore it (RFC 9110 section 10.1.1).
    server.on('checkExpectation', checked);
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
