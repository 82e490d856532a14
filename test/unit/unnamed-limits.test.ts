import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createLengths } from '../../chain/rpc/lengths.ts';
import type { EndpointTrouble } from '../../chain/rpc/member.ts';
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';

/*
 * Endpoints that serve less than they are asked for, and do not say so in JSON-RPC; and answers whose form is nonsense. They need no chain.
 */

interface Wire {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}
interface Answer {
  readonly id: unknown;
  readonly [field: string]: unknown;
}
/** Responds instead of the endpoint. */
type Respond = (response: http.ServerResponse, answers: readonly Answer[]) => void;

const LONGEST = 50;
const hash = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;
const quantity = (value: number): string => `0x${value.toString(16)}`;
const numberOf = ({ params = [] }: Wire): number => (params[0] === 'latest' ? 999 : Number(params[0]));
const resultOf = (asked: Wire): unknown => {
  if (asked.method === 'eth_chainId') return '0x7a69';
  const number = numberOf(asked);
  const place = { number: quantity(number), hash: hash(number), parentHash: hash(number - 1) };
  return { ...place, timestamp: '0x1', gasLimit: '0x1', transactions: [] };
};
const json = (response: http.ServerResponse, body: unknown): void => void response.end(JSON.stringify(body));
const status =
  (code: number, body: unknown = ''): Respond =>
  (response) =>
    void response.writeHead(code).end(typeof body === 'string' ? body : JSON.stringify(body));

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

interface Served {
  readonly url: string;
  /** Lengths of all exchanges. */
  readonly lengths: number[];
  /** The most requests that it serves at once. */
  longest: number;
}

/** An endpoint that serves so many requests at once, and treats others in its own way. */
const serve = async (treat: Respond, longest = LONGEST): Promise<Served> => {
  const served: Served & { url: string } = { url: '', lengths: [], longest };
  const server = http.createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const asked = JSON.parse(Buffer.concat(parts).toString()) as Wire | Wire[];
      const all = [asked].flat();
      served.lengths.push(all.length);
      const answers = all.map((one): Answer => ({ jsonrpc: '2.0', id: one.id, result: resultOf(one) }));
      if (all.length > served.longest) return treat(response, answers);
      json(response, Array.isArray(asked) ? answers : answers[0]);
    })();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return served;
};

const blocks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    method: 'eth_getBlockByNumber',
    params: [quantity(index + 1), false],
  }));

const clientOf = (urls: readonly string[]) => {
  const troubles: EndpointTrouble[] = [];
  const report = (trouble: EndpointTrouble): void => void troubles.push(trouble);
  return { troubles, rpc: createRpc({ urls, eip155: 31_337, timeoutMs: 700, report }) };
};

/** Tries until a batch has all its results; the number of tries. */
const triesOf = async (rpc: Rpc, count: number, most: number): Promise<number> => {
  for (let tries = 1; ; tries += 1) {
    const all = await rpc.batch(blocks(count)).catch(() => null);
    const isWhole = all?.outcomes.length === count && all.outcomes.every(({ ok }) => ok);
    if (isWhole || tries === most) return isWhole ? tries : Infinity;
  }
};

const rateLimit = { code: -32_005, message: 'rate limit' };
const forms: readonly (readonly [string, Respond])[] = [
  ['closes the connection', (response) => void response.socket!.destroy()],
  [
    'ends its response early',
    (response) => {
      response.writeHead(200, { 'content-length': 5_000 }).write('[{"jsonrpc":"2.0","id":0,');
      setTimeout(() => response.socket!.destroy(), 5);
    },
  ],
  [
    'says too small a length of its response',
    (response, answers) => {
      const text = JSON.stringify(answers);
      response.socket!.end(`HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n${text}`);
    },
  ],
  [
    'cuts a compressed response',
    (response, answers) => {
      const zipped = gzipSync(JSON.stringify(answers));
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped.subarray(0, zipped.length / 2));
    },
  ],
  ['cuts the text of its response', (response, answers) => void response.end(JSON.stringify(answers).slice(0, -20))],
  ['writes garbage behind a good response', (response, answers) => void response.end(`${JSON.stringify(answers)}}}`)],
  [
    'begins its response with a byte order mark',
    (response, answers) => void response.end(`\ufeff${JSON.stringify(answers)}`),
  ],
  ...[301, 308, 401, 402, 403, 404, 405, 408, 413, 414, 421, 425, 429, 431, 499, 500, 502, 503, 504, 520, 524, 530].map(
    (code) => [`has HTTP ${code}`, status(code, '<h1>No</h1>')] as const,
  ),
  [
    'has HTTP 500 and a JSON-RPC error',
    status(500, { jsonrpc: '2.0', id: null, error: { code: -32_603, message: 'no' } }),
  ],
  ['has HTTP 403 and JSON of its own', status(403, { error: 'blocked', status: 403 })],
  ['has HTTP 200 and a page', status(200, '<html></html>')],
  ['has HTTP 200 without a body', status(200)],
  ['has HTTP 204', status(204)],
  ['is silent', () => {}],
  ['answers null', status(200, 'null')],
  ['answers an empty list', status(200, [])],
  [
    'answers a list of nothing',
    (response, answers) =>
      json(
        response,
        answers.map(() => null),
      ),
  ],
  ['puts its list into an object', (response, answers) => json(response, { jsonrpc: '2.0', id: 0, result: answers })],
  ['answers the first fifty only', (response, answers) => json(response, answers.slice(0, LONGEST))],
  ['answers ten only', (response, answers) => json(response, answers.slice(0, 10))],
  ['answers the last one only', (response, answers) => json(response, answers.slice(-1))],
  [
    'has errors without ids in place of some',
    (response, answers) =>
      json(
        response,
        answers.map((one, index) => (index % 3 === 2 ? { jsonrpc: '2.0', id: null, error: rateLimit } : one)),
      ),
  ],
  [
    'has errors without ids in place of all',
    (response, answers) =>
      json(
        response,
        answers.map(() => ({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'busy' } })),
      ),
  ],
  [
    'refuses some with the words of a rate limit',
    (response, answers) =>
      json(
        response,
        answers.map((one, index) => (index < LONGEST ? one : { jsonrpc: '2.0', id: one.id, error: rateLimit })),
      ),
  ],
  [
    'has ids as texts',
    (response, answers) =>
      json(
        response,
        answers.map((one) => ({ ...one, id: String(one.id) })),
      ),
  ],
  [
    'has ids of its own',
    (response, answers) =>
      json(
        response,
        answers.map((one) => ({ ...one, id: Number(one.id) + 1_000 })),
      ),
  ],
  [
    'has ids of null',
    (response, answers) =>
      json(
        response,
        answers.map((one) => ({ ...one, id: null })),
      ),
  ],
  [
    'has one id for two',
    (response, answers) =>
      json(
        response,
        answers.map((one) => ({ ...one, id: Math.floor(Number(one.id) / 2) })),
      ),
  ],
  ['gives an error as a text', (response) => json(response, { jsonrpc: '2.0', id: null, error: 'too much' })],
  ['gives an error without words', (response) => json(response, { jsonrpc: '2.0', id: null, error: {} })],
];

it.each(forms)(
  'an only endpoint that %s for more than 50 requests serves 64 within five tries, and is no liar',
  async (_, treat) => {
    const { url, lengths } = await serve(treat);
    const { rpc, troubles } = clientOf([url]);
    expect(await triesOf(rpc, 64, 5)).toBeLessThanOrEqual(5);
    expect(await triesOf(rpc, 64, 1)).toBe(1);
    expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
    expect(Math.max(...lengths.slice(-1))).toBeLessThanOrEqual(LONGEST);
  },
);

it.each(forms.filter(([name]) => /200|list|text|page|ids (as|of)|mark/.test(name)))(
  'an endpoint that %s for any request is asked last for seconds, and told as what it is',
  async (_, treat) => {
    const [first, second] = [await serve(treat, 0), await serve(treat, 100)];
    const { rpc, troubles } = clientOf([first.url, second.url]);
    expect((await rpc.batch(blocks(3))).endpoint).toBe(1);
    expect(troubles.map(({ endpoint, isLie }) => ({ endpoint, isLie }))).toEqual([{ endpoint: 0, isLie: false }]);
    expect(troubles[0]!.demotionMs).toBeLessThanOrEqual(5_000);
    expect(troubles[0]!.reason).not.toBe('');
  },
);

it.each<[string, Respond]>([
  ['without its version', (response, [one]) => json(response, { ...one, jsonrpc: undefined })],
  ['behind a byte order mark', (response, [one]) => void response.end(`\ufeff${JSON.stringify(one)}`)],
  [
    'that is compressed and cut',
    (response, [one]) => {
      const zipped = gzipSync(JSON.stringify(one));
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped.subarray(0, zipped.length / 2));
    },
  ],
  ['that is a page', status(200, '<html></html>')],
  ['that is empty', status(200)],
])('an answer to one request %s is asked of the next endpoint, and is no lie', async (_, treat) => {
  const [first, second] = [await serve(treat, 0), await serve(treat, 100)];
  const troubles: EndpointTrouble[] = [];
  const report = (trouble: EndpointTrouble): void => void troubles.push(trouble);
  const rpc = createRpc({ urls: [first.url, second.url], eip155: null, timeoutMs: 700, report });
  const { endpoint, outcomes } = await rpc.batch(blocks(1));
  expect([endpoint, outcomes[0]!.ok, first.lengths]).toEqual([1, true, [1]]);
  expect(troubles.map(({ isLie, demotionMs }) => [isLie, demotionMs <= 5_000])).toEqual([[false, true]]);
});

it.each([1, 2, 7])(
  'an only endpoint that serves %d at once, and closes the connection else, is served in the end',
  async (longest) => {
    const { url } = await serve((response) => void response.socket!.destroy(), longest);
    const { rpc } = clientOf([url]);
    expect(await triesOf(rpc, 40, 12)).toBeLessThanOrEqual(12);
  },
);

it('an endpoint that was down, or whose limit is gone, gets long batches again, each try being twice as long as before', async () => {
  const served = await serve((response) => void response.socket!.destroy(), 0);
  const { rpc } = clientOf([served.url]);
  for (const _ of Array.from({ length: 9 })) await rpc.batch(blocks(64)).catch(() => null);
  served.longest = 100;
  served.lengths.length = 0;
  for (const _ of Array.from({ length: 10 })) await rpc.batch(blocks(64));
  expect(served.lengths.at(-1)).toBe(64);
  expect(served.lengths.length).toBeLessThan(60);
});

it('answers without a result of their own are asked for again, and only those', async () => {
  const { url, lengths } = await serve((response, answers) => json(response, answers.slice(0, 40)), 30);
  const { rpc, troubles } = clientOf([url]);
  expect(await triesOf(rpc, 64, 1)).toBe(1);
  // With the question for the chain.
  expect(lengths).toEqual([65, 25]);
  expect(troubles).toEqual([]);
});

it.each<[string, (answer: Answer, asked: Wire) => Answer]>([
  ['of another block', (answer) => ({ ...answer, result: resultOf({ id: 0, method: 'x', params: ['0x3e7'] }) })],
])('a well-formed result %s is a lie', async (_, change) => {
  const served = await serve((response, answers) => {
    const changed = answers.map((one) => (one.id === 0 ? one : change(one, { id: 0, method: '' })));
    json(response, changed.length === 1 ? changed[0] : changed);
  }, 0);
  const { rpc, troubles } = clientOf([served.url, (await serve(() => {}, 100)).url]);
  expect((await rpc.batch(blocks(3))).endpoint).toBe(1);
  expect(troubles).toMatchObject([{ endpoint: 0, isLie: true, demotionMs: 30_000 }]);
});

it('one request that an only endpoint fails at leaves the results of the others', async () => {
  for (const bad of [{ error: { message: 'busy' } }, { error: rateLimit }, { result: { hash: 7 } }, {}]) {
    const { url } = await serve((response, answers) => {
      const said = answers.map((one) =>
        (one['result'] as { number?: string } | undefined)?.number === '0x2'
          ? { jsonrpc: '2.0', id: one.id, ...bad }
          : one,
      );
      json(response, said.length === 1 ? said[0] : said);
    }, 0);
    const { rpc, troubles } = clientOf([url]);
    const { outcomes } = await rpc.batch(blocks(3));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
  }
});

describe('the length of batches', () => {
  /** Sends so many batches of up to this length to an endpoint with a limit; the lengths that failed. */
  const play = (lengths: ReturnType<typeof createLengths>, limit: number, batches: number): number[] =>
    Array.from({ length: batches }).flatMap(() => {
      const length = Math.min(100, lengths.longest());
      if (length > limit) lengths.fail(length, 'no');
      else lengths.accept(length);
      return length > limit ? [length] : [];
    });

  it('is halved after two failures, and tried again ever more seldom', () => {
    const lengths = createLengths();
    expect(play(lengths, 60, 10_000)).toEqual(Array.from({ length: 8 }, () => 100));
    expect(lengths.longest()).toBe(50);
  });

  it('grows to that of before once a limit is gone', () => {
    const lengths = createLengths();
    play(lengths, 3, 1_000);
    expect(lengths.longest()).toBe(2);
    play(lengths, 100, 20_000);
    expect(lengths.longest()).toBe(Infinity);
  });

  it('is forgotten by an endpoint that fails at a single request, too', async () => {
    const served = await serve((response) => void response.socket!.destroy(), 0);
    const { rpc } = clientOf([served.url]);
    while (served.lengths.at(-1) !== 1) await rpc.batch(blocks(50)).catch(() => null);
    Object.assign(served, { longest: 1_000 }).lengths.length = 0;
    expect(await triesOf(rpc, 50, 1)).toBe(1);
    expect(Math.max(...served.lengths)).toBeGreaterThanOrEqual(50);
  });
});
