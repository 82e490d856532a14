import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndpointTrouble } from '../../chain/rpc/member.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createOutsideClock } from '../../domain/tools/outside-clock.ts';

/* Honest endpoints whose responses have an unusual form, and servers in front of them that fail now and then. They need no chain. */

interface Wire {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}
type Respond = (response: http.ServerResponse, asked: readonly Wire[], isList: boolean) => void;

const TIP = 999;
const quantity = (value: number): string => `0x${value.toString(16)}`;
const hash = (number: number): string => `0x${number.toString(16).padStart(64, 'a')}`;
const numberOf = ({ params = [] }: Wire): number => (params[0] === 'latest' ? TIP : Number(params[0]));
const resultOf = (asked: Wire): unknown => {
  if (asked.method === 'eth_chainId') return '0x7a69';
  if (asked.method !== 'eth_getBlockByNumber') return '0xab';
  const number = numberOf(asked);
  if (number > TIP) return null;
  const place = { number: quantity(number), hash: hash(number), parentHash: hash(number - 1) };
  return { ...place, timestamp: '0x1', gasLimit: '0x1', transactions: [] };
};
const json = (response: http.ServerResponse, list: readonly unknown[], isList: boolean): void =>
  void response.end(JSON.stringify(isList ? list : list[0]));
const answers =
  (
    change: (answer: { jsonrpc: string; id: unknown; result?: unknown }, asked: Wire) => unknown = (answer) => answer,
  ): Respond =>
  (response, asked, isList) =>
    json(
      response,
      asked.map((one) => change({ jsonrpc: '2.0', id: one.id, result: resultOf(one) }, one)),
      isList,
    );

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
  /** Responds in place of the endpoint, once. */
  next: Respond | null;
}

const serve = async (respond: Respond = answers()): Promise<Served> => {
  const served: Served & { url: string } = { url: '', lengths: [], next: null };
  const server = http.createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const asked = JSON.parse(Buffer.concat(parts).toString()) as Wire | Wire[];
      served.lengths.push([asked].flat().length);
      const now = served.next ?? respond;
      served.next = null;
      now(response, [asked].flat(), Array.isArray(asked));
    })();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return served;
};

const clientOf = (those: readonly Served[]) => {
  const troubles: EndpointTrouble[] = [];
  const report = (trouble: EndpointTrouble): void => void troubles.push(trouble);
  return { troubles, rpc: createRpc({ urls: those.map(({ url }) => url), eip155: 31_337, report }) };
};
const block = (number: number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] });
const latest = { method: 'eth_getBlockByNumber', params: ['latest', false] };
const blocks = (count: number) => Array.from({ length: count }, (_, index) => block(index + 1));

it('a response without the version of JSON-RPC is one in a list, and alone where it is an error', async () => {
  const served = await serve(answers(({ id, result }) => ({ id, result })));
  const { rpc, troubles } = clientOf([served]);
  const { outcomes } = await rpc.batch(blocks(3));
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true]);
  const error = { code: 3, message: 'execution reverted', data: '0x1234' };
  served.next = answers(({ id }) => ({ id, error }));
  const [outcome] = (await rpc.batch([{ method: 'eth_call', params: [{}, 'latest'] }])).outcomes;
  expect(outcome).toMatchObject({ ok: false, error: { kind: 'rejected', revertData: '0x1234' } });
  expect(troubles).toEqual([]);
});

it.each<[string, number, () => unknown]>([
  [
    'one error with a word of its own each time',
    200,
    () => ({
      jsonrpc: '2.0',
      id: 0,
      error: { code: 19, message: `Temporary internal error, trace-id: ${Math.random()}` },
    }),
  ],
  [
    'one error with a status',
    500,
    () => ({ jsonrpc: '2.0', id: null, error: { code: -32_603, message: 'Internal server error' } }),
  ],
  ['a list of one error', 503, () => [{ id: null, error: { code: -32_603, message: 'upstream connect error' } }]],
])(
  'an endpoint that fails at a whole batch now and then, by %s, gets long batches again',
  async (_, status, bodyOf) => {
    const served = await serve();
    const { rpc, troubles } = clientOf([served]);
    await rpc.batch(blocks(64));
    for (let failures = 0; failures < 4; failures += 1) {
      served.next = (response) => void response.writeHead(status).end(JSON.stringify(bodyOf()));
      await rpc.batch(blocks(64)).catch(() => null);
      await rpc.batch(blocks(64));
    }
    for (let more = 0; more < 8; more += 1) await rpc.batch(blocks(64));
    served.lengths.length = 0;
    await rpc.batch(blocks(64));
    expect(served.lengths).toEqual([64]);
    expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
  },
);

it('an endpoint that numbers the responses to a batch from one is no liar, and its results are not taken for those of others', async () => {
  const served = await serve((response, asked, isList) =>
    answers((answer) => (isList ? { ...answer, id: Number(answer.id) + 1 } : answer))(response, asked, isList),
  );
  const { rpc, troubles } = clientOf([served, await serve()]);
  const numbers = [1, 500, 200, 201];
  const { endpoint, outcomes } = await rpc.batch(numbers.map(block));
  expect(endpoint).toBe(1);
  expect(outcomes.map((outcome) => outcome.ok && (outcome.result as { number: string }).number)).toEqual(
    numbers.map(quantity),
  );
  expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
});

it('a response to one request may be a list of one', async () => {
  const { rpc, troubles } = clientOf([await serve((response, asked) => answers()(response, asked, true))]);
  for (const count of [2, 1]) expect((await rpc.batch(blocks(count))).outcomes.every(({ ok }) => ok)).toBe(true);
  expect(troubles).toEqual([]);
});

it('a code that is a text counts as a number', async () => {
  const error = { code: '-32005', message: 'slow down' };
  const slow = await serve(answers((answer) => (answer.result === '0xab' ? { id: answer.id, error } : answer)));
  const { rpc } = clientOf([slow]);
  const [, outcome] = (await rpc.batch([latest, { method: 'eth_gasPrice' }])).outcomes;
  expect(outcome).toMatchObject({ ok: false, error: { kind: 'overloaded', code: -32_005 } });
});

it('two responses with one id that are nested more deeply than a program can compare are malformed, and end nothing', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const nested = await serve(
    (response) => void response.end(`[{"id":0,"result":${deep}},{"id":0,"result":[${deep}]}]`),
  );
  const { rpc, troubles } = clientOf([nested, await serve()]);
  expect((await rpc.batch(blocks(3))).endpoint).toBe(1);
  expect(troubles).toContainEqual(
    expect.objectContaining({ endpoint: 0, isLie: false, reason: 'two responses to a batch have the same id' }),
  );
});

it.each([
  'cannot query unfinalized data',
  "requested a future epoch (beyond 'latest')",
  'requested block number greater than current block number',
  'height 1002 must be less than or equal to the current blockchain height 999',
  'the block does not exist (block number: 1002)',
])('an endpoint keeps its place that says of blocks above its newest one: %s', async (message) => {
  const error = { code: -32_000, message };
  const words = await serve(answers((answer, asked) => (numberOf(asked) > TIP ? { id: answer.id, error } : answer)));
  const others = [await serve(), await serve()];
  const { rpc, troubles } = clientOf([words, ...others]);
  const asked = [latest, ...[TIP - 1, TIP, TIP + 1, TIP + 3].map(block)];
  for (let times = 0; times < 3; times += 1) {
    const { outcomes } = await rpc.batch(asked);
    expect(outcomes.map((outcome) => outcome.ok && outcome.result !== null)).toEqual([true, true, true, false, false]);
  }
  expect(troubles.map(({ reason }) => reason)).not.toContain('rejects requests that others grant');
});

it('a block below the newest one that an endpoint refuses is read from another one', async () => {
  const error = { code: -32_000, message: 'cannot query unfinalized data' };
  const words = await serve(
    answers((answer, asked) => (numberOf(asked) === TIP - 1 ? { id: answer.id, error } : answer)),
  );
  const { rpc } = clientOf([words, await serve()]);
  expect((await rpc.batch([latest, block(TIP - 1)])).endpoint).toBe(1);
});

it.each([
  ['eth_getBalance', ['0xAB', '0x00ab']],
  ['eth_call', ['0xAB', '0xab']],
  ['eth_getCode', ['0xAB', '0xaB']],
] as const)('endpoints agree that write the same result of %s in other forms', async (method, forms) => {
  const those = await Promise.all(
    forms.map((form) =>
      serve(answers((answer, asked) => (asked.method === method ? { ...answer, result: form } : answer))),
    ),
  );
  const { rpc, troubles } = clientOf(those);
  const pick = ([outcome]: readonly { readonly ok: boolean; readonly result?: unknown }[]) => [
    outcome?.ok ? String(outcome.result) : undefined,
  ];
  expect(await rpc.agree([{ method, params: [{}, '0x1'] }], 2, pick)).toEqual(['0xab']);
  expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
});

it('a response out of a cache tells no time', async () => {
  const fromCache = () =>
    serve((response, asked, isList) => {
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
      response.setHeader('age', '3600');
      answers()(response, asked, isList);
    });
  const outside = createOutsideClock();
  const urls = [(await fromCache()).url, (await fromCache()).url];
  await createRpc({ urls, eip155: null, tellTime: outside.tell }).everyone([latest]);
  expect(outside.compare()).toBeNull();
});
