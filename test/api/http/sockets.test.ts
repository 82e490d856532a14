import diagnostics from 'node:diagnostics_channel';
import net from 'node:net';
import { listenHttp, type HttpServer, type SocketLimits } from '../../../api/http/http-server.ts';
import { letLast } from '../../../api/limits/open-sockets.ts';
import { eventually } from '../../support/eventually.ts';

/*
 * What a client can do to the process with nothing but a socket.
 */

const body = Buffer.alloc(1_000_000, 'x');
let [begun, ended] = [0, 0];
const servers: HttpServer[] = [];
const clients: net.Socket[] = [];
beforeEach(() => {
  [begun, ended] = [0, 0];
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop(0)));
});

/** `/large` answers with a megabyte, `/never` not at all, `/events` without end, everything else with its path. */
const start = async (limits: Partial<SocketLimits> = {}): Promise<HttpServer> => {
  const server = await listenHttp(
    (request, response) => {
      begun += 1;
      response.once('close', () => (ended += 1));
      if (request.url === '/events') {
        response.write('begun');
        letLast(response);
      } else if (request.url !== '/never') response.end(request.url === '/large' ? body : request.url);
    },
    '127.0.0.1',
    0,
    limits,
  );
  servers.push(server);
  return server;
};

interface Client {
  readonly socket: net.Socket;
  received(): string;
  readonly closed: Promise<void>;
}

const connect = async ({ port }: HttpServer): Promise<Client> => {
  const socket = net.connect(port, '127.0.0.1');
  clients.push(socket);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return { socket, received: () => text, closed };
};

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: carat\r\n\r\n`;

const answers = async (server: HttpServer): Promise<string> =>
  (await fetch(`http://127.0.0.1:${server.port}/still/here`)).text();

it('a reset after CONNECT ends the socket and nothing else', async () => {
  const server = await start();
  for (let round = 0; round < 20; round += 1) {
    const { socket, closed } = await connect(server);
    socket.write('CONNECT carat:443 HTTP/1.1\r\nHost: carat:443\r\n\r\n');
    await new Promise((resolve) => socket.write('more', resolve));
    socket.resetAndDestroy();
    await closed;
  }
  expect(await answers(server)).toBe('/still/here');
});

it('a tunnel is refused, and its socket ends although the client keeps its side open', async () => {
  const server = await start();
  const { socket, received, closed } = await connect(server);
  socket.write('CONNECT carat:443 HTTP/1.1\r\nHost: carat:443\r\n\r\n');
  await closed;
  expect(received()).toMatch(/^HTTP\/1.1 400 .*This server is not a proxy/s);
});

it.each([
  ['says nothing', ''],
  ['sends garbage', '\0\x16\x03\x01 garbage\r\n\r\n'],
  ['never ends its head', 'GET / HTTP/1.1\r\nHost: carat\r\nX-Slow: '],
  ['never sends its body', 'POST / HTTP/1.1\r\nHost: carat\r\nContent-Length: 10\r\n\r\n1'],
])('the socket of a client that %s ends', async (_what, bytes) => {
  const server = await start({ headersTimeout: 200, requestTimeout: 200, silenceTimeout: 300 });
  const { socket, closed } = await connect(server);
  socket.write(bytes);
  await closed;
  expect(await answers(server)).toBe('/still/here');
});

it('four of the pipelined requests are answered at a time, in their order', async () => {
  const server = await start();
  const { socket, received } = await connect(server);
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
  socket.write(['/never', ...paths].map(get).join(''));
  await eventually(() => begun === 53 || begun === 4);
  expect(begun).toBe(4);
  const second = await connect(server);
  second.socket.write(paths.map(get).join(''));
  await eventually(() => second.received().includes('/49'));
  expect(second.received().match(/\/\d+$|\/\d+(?=HTTP)/g)).toEqual(paths);
  expect(received()).toBe('');
});

it('answers that a client does not read are not rendered, and its socket ends', async () => {
  const server = await start({ silenceTimeout: 500 });
  const { socket, closed } = await connect(server);
  socket.pause();
  socket.write(get('/large').repeat(100));
  await eventually(() => begun >= 4);
  // The other end is gone when a write to it fails.
  const writes = setInterval(() => socket.write(get('/large')), 50);
  await closed;
  clearInterval(writes);
  expect(begun).toBeLessThanOrEqual(8);
  expect(await answers(server)).toBe('/still/here');
});

it('each request in flight ends when its socket does, even if others are answered first', async () => {
  const server = await start();
  const { socket } = await connect(server);
  socket.write(['/never', '/1', '/never', '/2', '/3'].map(get).join(''));
  await eventually(() => begun === 4);
  socket.resetAndDestroy();
  await eventually(() => ended === 4);
  expect([begun, ended]).toEqual([4, 4]);
  expect(await answers(server)).toBe('/still/here');
});

it('the socket of a client that reads its answers as slowly as possible ends', async () => {
  const server = await start({ answerTimeout: 500 });
  const { socket, closed } = await connect(server);
  const reads = setInterval(() => socket.resume(), 20);
  socket.on('data', () => socket.pause());
  socket.write(get('/large').repeat(100));
  await closed;
  clearInterval(reads);
  expect(begun).toBeLessThan(100);
  expect(await answers(server)).toBe('/still/here');
});

it('a client that pipelines more than a hundred waiting requests loses its socket', async () => {
  const server = await start();
  const { socket, closed } = await connect(server);
  socket.write(get('/never').repeat(200));
  await closed;
  expect(begun).toBe(4);
});

it('no more requests are parsed out of 64 KB than may wait', async () => {
  let parsed = 0;
  const count = (): void => void (parsed += 1);
  diagnostics.subscribe('http.server.request.start', count);
  const server = await listenHttp((_request, response) => void response.end(), '127.0.0.1', 0);
  servers.push(server);
  for (let round = 1; round <= 5; round += 1) {
    const { socket, closed } = await connect(server);
    socket.write(get('/openapi.json').repeat(1_500));
    await closed;
    expect(parsed).toBeLessThanOrEqual(round * 106);
  }
  expect(parsed).toBeGreaterThan(100);
  diagnostics.unsubscribe('http.server.request.start', count);
  await answers(server);
});

it('a socket above the bound is closed at once where all others wait for answers', async () => {
  const server = await start({ maxConnections: 2 });
  const [first, second] = [await connect(server), await connect(server)];
  for (const { socket } of [first, second]) socket.write(get('/never'));
  await eventually(() => begun === 2);
  const third = await connect(server);
  await third.closed;
  expect([first, second].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
});

it('a crowd of requests that do not end locks no client out', async () => {
  const server = await start({ maxConnections: 5, longRequest: 100 });
  const crowd = await Promise.all(Array.from({ length: 5 }, () => connect(server)));
  for (const { socket } of crowd) socket.write(get('/never'));
  await eventually(() => begun === 5);
  // New clients are turned away until one of the requests has lasted long enough.
  expect(await eventually(() => answers(server))).toBe('/still/here');
  expect(crowd.filter(({ socket }) => !socket.destroyed).length).toBeGreaterThanOrEqual(3);
});

it('a crowd of silent sockets locks no client out, and a client that has sent a request stays', async () => {
  const server = await start({ maxConnections: 5 });
  const early = await connect(server);
  early.socket.write(get('/early'));
  await eventually(() => early.received().includes('/early'));
  const crowd = await Promise.all(Array.from({ length: 30 }, () => connect(server)));
  for (const { socket } of crowd.slice(-2)) socket.write('GET / HTTP/1.1\r\nX-Slow: ');
  expect(await answers(server)).toBe('/still/here');
  early.socket.write(get('/again'));
  await eventually(() => early.received().includes('/again'));
});

it('sockets at rest between requests lock no client out either', async () => {
  const server = await start({ maxConnections: 3 });
  const rest = async (path: string): Promise<Client> => {
    const client = await connect(server);
    client.socket.write(get(path));
    await eventually(() => client.received().includes(path));
    return client;
  };
  const [first, second] = [await rest('/1'), await rest('/2'), await rest('/3')];
  await rest('/4');
  await first.closed;
  second.socket.write(get('/still'));
  await eventually(() => second.received().includes('/still'));
});

it('a stream of events keeps its socket as long as a younger one is at rest', async () => {
  const server = await start({ maxConnections: 2 });
  const stream = await connect(server);
  stream.socket.write(get('/events'));
  await eventually(() => stream.received().includes('begun'));
  const rest = await connect(server);
  rest.socket.write(get('/rest'));
  await eventually(() => rest.received().includes('/rest'));
  expect(await answers(server)).toBe('/still/here');
  await Promise.race([rest.closed, stream.closed]);
  expect([rest, stream].map(({ socket }) => socket.destroyed)).toEqual([true, false]);
});

it('a stop ends within its grace period, whatever hangs', async () => {
  const server = await start();
  const tunnel = await connect(server);
  tunnel.socket.write('CONNECT carat:443 HTTP/1.1\r\nHost: carat:443\r\n\r\n');
  const [silent, slow, waiting] = [await connect(server), await connect(server), await connect(server)];
  slow.socket.write('GET / HTTP/1.1\r\n');
  waiting.socket.write(get('/never'));
  await eventually(() => begun === 1);
  await server.stop(100);
  await Promise.all([tunnel, silent, slow, waiting].map(({ closed }) => closed));
});
