import { once } from 'node:events';
import net from 'node:net';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createAgents, type Agents } from '../../delivery/agent.ts';
import { send, type ReceiverResponse } from '../../delivery/send.ts';
import { expiredTls, localhostTls } from '../support/certificates.ts';
import { startFarReceiver } from '../support/far-receiver.ts';
import { ok, startReceiver, type Answers, type Receiver } from '../support/receiver.ts';

const open: { close(): unknown }[] = [];
let agents: Agents;

beforeEach(() => {
  agents = createAgents({ hosts: 'loopback', ca: localhostTls.cert });
  open.push(agents);
});

afterEach(async () => {
  mock.timers.reset();
  for (const part of open.splice(0)) await part.close();
});

const receiver = async (answer: Answers = ok): Promise<Receiver> => {
  const started = await startReceiver({ answer });
  open.push(started);
  return started;
};

/** Longer than any test. */
const LONG_MS = 3_600_000;
const TIMEOUT_MS = 400;
const post = (origin: string, { body = '{}', timeoutMs = LONG_MS } = {}): Promise<ReceiverResponse> =>
  send({ url: new URL('/paid', origin), headers: { 'webhook-id': '1' }, body }, { agents, timeoutMs });

/** A server that speaks no HTTP of its own. */
const rawServer = async (speak: (socket: net.Socket) => void): Promise<string> => {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => server.close() });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
};

it('send returns the response, and keeps the connection', async () => {
  const { origin, received, connections } = await receiver((_request, response) => response.end('thanks'));
  for (let round = 0; round < 5; round += 1) {
    expect(await post(origin, { body: `{"n":${round}}` })).toMatchObject({ status: 200, error: null, body: 'thanks' });
  }
  expect(received.map(({ body }) => body)).toEqual([0, 1, 2, 3, 4].map((n) => `{"n":${n}}`));
  expect(connections()).toBe(1);
});

it.each([
  [500, {}],
  [429, { 'retry-after': '7' }],
  [410, {}],
  [401, {}],
])('%i is a response', async (status, headers) => {
  const { origin } = await receiver((_request, response) => response.writeHead(status, headers).end());
  const retryAfter = 'retry-after' in headers ? '7' : null;
  expect(await post(origin)).toMatchObject({ status, error: null, retryAfter });
});

it('a redirect is a response, and is not followed', async () => {
  const elsewhere = await receiver();
  const { origin } = await receiver((_request, response) =>
    response.writeHead(307, { location: `${elsewhere.origin}/paid` }).end(),
  );
  expect(await post(origin)).toMatchObject({ status: 307, error: null });
  expect(elsewhere.connections()).toBe(0);
});

it('a silent receiver is given up in time', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const asked = Promise.withResolvers<void>();
  const { origin } = await receiver(() => asked.resolve());
  let isOver = false;
  const answer = post(origin, { timeoutMs: TIMEOUT_MS }).finally(() => (isOver = true));
  await asked.promise;
  mock.timers.tick(TIMEOUT_MS - 1);
  await turn();
  expect(isOver).toBe(false);
  mock.timers.tick(1);
  expect(await answer).toMatchObject({ status: null, error: 'timed_out' });
});

it('a receiver that sends its status line byte by byte is given up in time', async () => {
  const origin = await rawServer((socket) => {
    const text = 'HTTP/1.1 200 OK\r\n\r\n';
    let sent = 0;
    const timer = setInterval(() => socket.write(text[sent++ % text.length]!), 100);
    socket.on('close', () => clearInterval(timer));
  });
  expect(await post(origin, { timeoutMs: TIMEOUT_MS })).toMatchObject({ status: null, error: 'timed_out' });
});

it('a receiver that takes the event and then sends its body byte by byte has taken it, and is hung up on', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const closed = Promise.withResolvers<void>();
  const { origin } = await receiver((_request, response) => {
    response.writeHead(200);
    // With each byte a tenth of a second passes for the sender.
    const timer = setInterval(() => {
      response.write('x');
      mock.timers.tick(100);
    }, 5);
    response.on('close', () => {
      clearInterval(timer);
      closed.resolve();
    });
  });
  const answer = await post(origin);
  expect(answer).toMatchObject({ status: 200, error: null, body: expect.stringMatching(/^x{5,30}$/) });
  await closed.promise;
});

it('two thousand of ten megabytes are kept, and little more is read', async () => {
  let written = 0;
  const { origin } = await receiver((_request, response, socket) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536, 'é');
    const more = (): void => {
      while (written < 160 && !response.destroyed) {
        written += 1;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
    };
    socket.on('error', () => {});
    more();
  });
  const answer = await post(origin);
  expect(answer).toMatchObject({ status: 200, error: null });
  expect(Buffer.byteLength(answer.body)).toBeLessThanOrEqual(2_048);
  expect(answer.body).toMatch(/^é{1000}/);
  expect(written).toBeLessThan(160);
});

it.each([
  ['ASCII', 'a'],
  ['characters of four bytes after one', 'a\u{1F600}'],
  ['bytes that are no UTF-8', [0xff]],
  ['zeros', [0]],
])('of a long response of %s, at most 2,048 bytes are kept as text', async (_, part) => {
  const piece = Buffer.from(part as string);
  const { origin } = await receiver((_request, response) => response.end(Buffer.alloc(9_000, piece)));
  const { body } = await post(origin);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2_048);
  expect(Buffer.byteLength(body)).toBeGreaterThan(2_040);
  expect(body.isWellFormed()).toBe(true);
});

it('a body can be kept as text, whatever bytes it has', async () => {
  const { origin } = await receiver((_request, response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0x62])));
  expect((await post(origin)).body).toBe('a\uFFFD\uFFFDb');
});

it.each([
  ['reset', (socket: net.Socket) => socket.resetAndDestroy(), 'ECONNRESET'],
  ['closed', (socket: net.Socket) => socket.end(), 'ECONNRESET'],
  ['no HTTP', (socket: net.Socket) => socket.end('hello\r\n\r\n'), 'HPE_INVALID_CONSTANT'],
  [
    'endless headers',
    (socket: net.Socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`),
    'HPE_HEADER_OVERFLOW',
  ],
  [
    'another protocol',
    (socket: net.Socket) => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'closed',
  ],
])('%s is a failure', async (_what, speak, error) => {
  expect(await post(await rawServer((socket) => void speak(socket)))).toMatchObject({ status: null, error });
});

/** Says the same again and again, as fast as it is read. */
const flood = (begin: string, again: string, { bytes }: { bytes: { read: number } }) =>
  rawServer((socket) => {
    const text = Buffer.from(again.repeat(Math.ceil(16_384 / again.length)));
    const more = (): void => {
      while (!socket.destroyed) {
        bytes.read = socket.bytesWritten;
        if (!socket.write(text)) return void socket.once('drain', more);
      }
    };
    socket.write(begin);
    more();
  });

it.each([
  ['endless interim responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', { status: null, error: 'too_large' }],
  [
    'a response of little but chunk extensions',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    `1;${'x'.repeat(8_000)}\r\ny\r\n`,
    { status: 200, error: null },
  ],
])('little of %s is read', async (_what, begin, again, answer) => {
  const bytes = { read: 0 };
  expect(await post(await flood(begin, again, { bytes }))).toMatchObject(answer);
  // It includes the bytes that the kernels hold on both sides.
  expect(bytes.read).toBeLessThan(12_000_000);
});

it.each([
  ['responds before it has read the event', 'x'.repeat(8_000_000), ''],
  ['sends something after its response', '{}', 'HTTP/1.1 204 No Content\r\n\r\n'],
])('no connection is kept whose server %s', async (_what, body, unasked) => {
  let gone: Promise<unknown> | undefined;
  const origin = await rawServer((socket) => {
    socket.pause();
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    gone = once(socket, 'close');
    setTimeout(() => socket.resume().write(unasked), 100);
  });
  const answer = await send({ url: new URL(origin), headers: {}, body }, { agents, timeoutMs: LONG_MS });
  expect(answer).toMatchObject({ status: 200, error: null });
  await gone;
});

it('one address of several has more time than a quarter of a second', async () => {
  const far = await startFarReceiver();
  const several = createAgents({ hosts: 'loopback', resolve: async () => ['127.0.0.1', '::1'] });
  open.push(far, several);
  const url = new URL(`http://shop.localhost:${far.port}/paid`);
  const { status } = await send({ url, headers: {}, body: '' }, { agents: several, timeoutMs: LONG_MS });
  expect(status).toBe(204);
});

it('a refused connection is a failure', async () => {
  const { origin, close } = await startReceiver();
  await close();
  expect(await post(origin)).toMatchObject({ status: null, error: 'ECONNREFUSED' });
});

it('a connection closed by its server is replaced once', async () => {
  const { origin, received, connections } = await receiver((_request, response, socket) => {
    // The first one is answered, and gone before the second request can be read.
    response.end('thanks', () => setImmediate(() => socket.resetAndDestroy()));
  });
  for (let round = 0; round < 5; round += 1) expect(await post(origin)).toMatchObject({ status: 200 });
  expect(received).toHaveLength(5);
  expect(connections()).toBe(5);
});

it.each([
  ['valid', localhostTls, 'localhost', { status: 204, error: null }],
  ['of another name', localhostTls, '127.0.0.1', { status: null, error: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
  ['expired', expiredTls, 'localhost', { status: null, error: 'CERT_HAS_EXPIRED' }],
])('a certificate that is %s', async (_what, tls, host, answer) => {
  const started = await startReceiver({ tls });
  open.push(started);
  const { port } = new URL(started.origin);
  expect(await post(`https://${host}:${port}`)).toMatchObject(answer);
  expect(started.received).toHaveLength(answer.status === null ? 0 : 1);
});

it('a certificate of an unknown authority is refused', async () => {
  const strict = createAgents({ hosts: 'loopback' });
  open.push(strict);
  const started = await startReceiver({ tls: localhostTls });
  open.push(started);
  const url = new URL(started.origin.replace('127.0.0.1', 'localhost'));
  expect(await send({ url, headers: {}, body: '' }, { agents: strict, timeoutMs: TIMEOUT_MS })).toMatchObject({
    status: null,
    error: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
});

it('a header that cannot be sent is a failure and no crash', async () => {
  const { origin } = await receiver();
  const answer = await send(
    { url: new URL(origin), headers: { authorization: 'Bearer line\nbreak' }, body: '' },
    { agents, timeoutMs: TIMEOUT_MS },
  );
  expect(answer).toMatchObject({ status: null, error: 'ERR_INVALID_CHAR' });
});
