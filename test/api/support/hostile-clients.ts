import net from 'node:net';
import { createRandom, type Random } from '../fuzz/random.ts';

/*
 * Hostile clients, as a process of their own, so that they do not slow the healthy one by themselves. Takes one job from
 * its parent and reports its end; held sockets stay open until the process ends.
 */

/** How much hostility, against which port of 127.0.0.1. */
export interface HostileJob {
  readonly port: number;
  readonly connections: number;
  readonly seed: number;
  /** Connections begun a second, at most. */
  readonly rate: number;
}

/** Sockets that are held open at a time, the oldest ends when there are more. */
const MAX_HELD = 400;
const UNDER_WAY = 50;
/** A client that gets neither an answer nor an end goes away by itself. */
const PATIENCE_MS = 1_500;

const head = (line: string, ...headers: string[]): string => [line, 'Host: carat', ...headers, '', ''].join('\r\n');
const get = (path: string, ...headers: string[]): string => head(`GET ${path} HTTP/1.1`, ...headers);
const specification = get('/openapi.json');

const bytesOf = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random.below(256)));

const textOf = (random: Random, length: number): string => bytesOf(random, length).toString('latin1');

/** A client's use of its socket: bytes to send, and the continuation. */
interface Attack {
  readonly bytes: string | Buffer;
  /** `end` waits for the answer or the end, `reset` breaks off, `hold` stays, `deaf` stays and reads nothing. */
  readonly next: 'end' | 'reset' | 'hold' | 'deaf';
}

const attacks: readonly ((random: Random) => Attack)[] = [
  () => ({ bytes: head('CONNECT carat:443 HTTP/1.1'), next: 'reset' }),
  () => ({ bytes: head('CONNECT carat:443 HTTP/1.1'), next: 'hold' }),
  (random) => ({ bytes: bytesOf(random, 1 + random.below(2_000)), next: 'end' }),
  () => ({ bytes: '', next: 'hold' }),
  () => ({ bytes: '', next: 'reset' }),
  () => ({ bytes: 'GET / HTTP/1.1\r\nHost: carat\r\nX-Slow: ', next: 'hold' }),
  () => ({ bytes: `${head('POST /api/v1/auth/token HTTP/1.1', 'Content-Length: 500')}{"grant`, next: 'hold' }),
  () => ({ bytes: specification.repeat(Math.floor(65_536 / specification.length)), next: 'end' }),
  () => ({ bytes: specification.repeat(50), next: 'deaf' }),
  () => ({ bytes: get('/openapi.json'), next: 'reset' }),
  (random) => ({
    bytes: get('/api/v1/nodes', `Authorization: Bearer ${random.uuid()}`, 'Connection: close'),
    next: 'end',
  }),
  (random) => ({ bytes: get(`/api/v1/widget/payments/${random.uuid()}`, 'Connection: close'), next: 'end' }),
  (random) => ({
    bytes: get('/', `X-Large: ${'x'.repeat(1_000 + random.below(40_000))}`, 'Connection: close'),
    next: 'end',
  }),
  () => ({ bytes: get('/', 'Connection: Upgrade', 'Upgrade: websocket'), next: 'end' }),
  () => ({ bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', next: 'end' }),
  () => ({ bytes: Buffer.from('16030100c8010000c40303', 'hex'), next: 'hold' }),
  () => ({
    bytes: head('POST /api/v1/auth/token HTTP/1.1', 'Transfer-Encoding: chunked', 'Content-Length: 3') + 'zz',
    next: 'end',
  }),
  () => ({
    bytes: head('POST /api/v1/auth/token HTTP/1.1', 'Transfer-Encoding: chunked') + 'fffffffffffff\r\n',
    next: 'hold',
  }),
  (random) => {
    const method = random.pick(['GET', 'PUT', 'DELETE', 'POST', 'OPTIONS', 'TRACE', 'PATCH', textOf(random, 5)]);
    const body = textOf(random, random.below(300));
    const headers = [`Content-Length: ${body.length}`, 'Connection: close', `${random.uuid()}: ${textOf(random, 20)}`];
    return {
      bytes: Buffer.from(head(`${method} /${textOf(random, 30)} HTTP/1.1`, ...headers) + body, 'latin1'),
      next: 'end',
    };
  },
];

const held: net.Socket[] = [];

const hold = (socket: net.Socket): void => {
  held.push(socket);
  if (held.length > MAX_HELD) held.shift()?.destroy();
};

/** Resolves when the next client may come. */
const attack = (port: number, random: Random): Promise<void> =>
  new Promise((resolve) => {
    const { bytes, next } = random.pick(attacks)(random);
    // As many addresses as a loopback network has, so that no limit by address refuses them early.
    const socket = net.connect({
      port,
      host: '127.0.0.1',
      localAddress: `127.0.${random.below(200)}.${2 + random.below(250)}`,
    });
    const patience = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(patience);
      resolve();
    });
    socket.once('connect', () => {
      if (next === 'deaf') socket.pause();
      else socket.resume();
      socket.write(bytes, () => {
        if (next === 'reset') socket.resetAndDestroy();
        if (next !== 'hold' && next !== 'deaf') return;
        clearTimeout(patience);
        hold(socket);
        resolve();
      });
    });
  });

const run = async ({ port, connections, seed, rate }: HostileJob): Promise<void> => {
  const random = createRandom(seed);
  const started = performance.now();
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < connections) {
      begun += 1;
      const due = started + (begun / rate) * 1_000;
      if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      await attack(port, random);
    }
  };
  await Promise.all(Array.from({ length: UNDER_WAY }, lane));
};

process.on('message', (job: HostileJob) => {
  void run(job).then(() => process.send?.('done'));
});
