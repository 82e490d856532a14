import http from 'node:http';
import net from 'node:net';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** As written, also where it is no URL. */
  readonly target: string;
  /** In order; a name may come twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
  /** How the bytes are sent where an ordinary client would send others; absent: by an ordinary client. */
  readonly raw?: {
    /** Pieces in which they arrive, in bytes. */
    readonly piece: number;
    /** Bytes of the end that never come. */
    readonly missing: number;
    /** The body in chunks of one byte. */
    readonly chunked: boolean;
    /** Replaces the first line. */
    readonly line?: string;
  };
}

export interface WireAnswer {
  /** 0 when the connection was closed without one. */
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** Timeout of an answer, in milliseconds. A request that takes longer hangs. */
const DEADLINE_MS = 10_000;

const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

/** Closes the connections that are kept open between requests. */
export const closeConnections = (): void => agent.destroy();

const sendOrdinary = (port: number, { method, target, headers, body }: WireRequest): Promise<WireAnswer> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port, method, path: target, agent, setHost: true },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    const byName = new Map<string, string[]>();
    for (const [name, value] of headers) byName.set(name, [...(byName.get(name) ?? []), value]);
    for (const [name, values] of byName) request.setHeader(name, values.length === 1 ? values[0]! : values);
    request.setTimeout(DEADLINE_MS, () => request.destroy(new Error('no answer')));
    // A refusal may come, and the connection end, before a large body is sent: then there is an answer to read.
    request.on('error', reject);
    if (body !== null) request.setHeader('Content-Length', body.length);
    request.end(body ?? undefined);
  });

const joinChunks = (text: string): string => {
  const size = parseInt(text, 16);
  if (Number.isNaN(size) || size === 0) return '';
  const start = text.indexOf('\r\n') + 2;
  return text.slice(start, start + size) + joinChunks(text.slice(start + size + 2));
};

const parseAnswer = (bytes: Buffer): WireAnswer => {
  let text = bytes.toString('latin1');
  while (/^HTTP\/1\.1 1\d\d /.test(text)) text = text.slice(text.indexOf('\r\n\r\n') + 4);
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  let body = rest.join('\r\n\r\n');
  if (headers['transfer-encoding'] === 'chunked') body = joinChunks(body);
  if (headers['content-length'] !== undefined) body = body.slice(0, Number(headers['content-length']));
  return { status, headers, text: Buffer.from(body, 'latin1').toString() };
};

const bytesOf = ({ method, target, headers, body, raw }: WireRequest): Buffer => {
  const names = headers.map(([name]) => name.toLowerCase());
  const length = raw?.chunked === true ? 'Transfer-Encoding: chunked' : `Content-Length: ${body?.length ?? 0}`;
  const head = [
    raw?.line ?? `${method} ${target} HTTP/1.1`,
    ...(names.includes('host') ? [] : ['Host: x']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === null || names.includes('content-length') || names.includes('transfer-encoding') ? [] : [length]),
    'Connection: close',
    '\r\n',
  ].join('\r\n');
  const chunks = (all: Buffer): Buffer =>
    Buffer.concat([
      ...[...all].map((byte) => Buffer.from(`1\r\n${String.fromCharCode(byte)}\r\n`, 'latin1')),
      Buffer.from('0\r\n\r\n'),
    ]);
  const payload = body === null ? Buffer.alloc(0) : raw?.chunked === true ? chunks(body) : body;
  // Text above latin1 goes as UTF-8, which HTTP does not know either.
  return Buffer.concat([Buffer.from(head, 'utf8'), payload]);
};

const sendRaw = (port: number, request: WireRequest): Promise<WireAnswer> =>
  new Promise((resolve, reject) => {
    const all = bytesOf(request);
    const { piece = all.length, missing = 0 } = request.raw ?? {};
    const bytes = all.subarray(0, Math.max(0, all.length - missing));
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    const received: Buffer[] = [];
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => received.push(chunk));
    let fault: Error | null = null;
    // A server may close while the client still sends; its earlier answer counts.
    socket.on('error', (error: Error & { code?: string }) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') fault = error;
    });
    socket.on('close', () => {
      if (fault !== null) reject(fault as Error);
      else resolve(parseAnswer(Buffer.concat(received)));
    });
    for (let at = 0; at < bytes.length; at += piece) socket.write(bytes.subarray(at, at + piece));
    // The missing bytes never come.
    if (missing > 0) socket.end();
  });

/**
 * Sends a request and gives back the answer.
 * @throws Error when there is none in time
 */
export const sendOverWire = (port: number, request: WireRequest): Promise<WireAnswer> =>
  request.raw === undefined ? sendOrdinary(port, request) : sendRaw(port, request);

/** The request for people, shortened; bytes above ASCII are escaped. */
export const printRequest = (request: WireRequest): string => {
  const bytes = bytesOf({ ...request, raw: { piece: 1, missing: 0, ...request.raw, chunked: false } });
  const text = bytes.toString('latin1').replaceAll(/[\w-]{40,}\.[\w-]+\.[\w-]+/g, '(a good token)');
  return JSON.stringify({ raw: request.raw ?? null, bytes: text.slice(0, 3_000) });
};
