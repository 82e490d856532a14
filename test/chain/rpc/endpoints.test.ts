import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { keccak256 } from 'ethers';
import type { EndpointTrouble } from '../../../chain/rpc/member.ts';
import { byNumber } from '../../../chain/rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../../../chain/rpc/requests.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { classifySend } from '../../../chain/rpc/send-errors.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { createOutsideClock } from '../../../domain/tools/outside-clock.ts';
import type { Chain } from '../../../tools/stack/chain.ts';
import { startTestChain } from '../../support/chain.ts';
import { setBack } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { mineInTurn, type Mining } from '../../support/mining.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';

/*
 * Endpoints that answer badly lose their place: three proxies in front of one node, the first of which misbehaves.
 */

let chain: Chain;
let mining: Mining;
/** The next block waits for it. */
let mayMine = (): Promise<void> => Promise.resolve();
let proxies: Proxy[];
let liar: Proxy;
let troubles: EndpointTrouble[];
const signer = createKeySigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const latest = { method: 'eth_getBlockByNumber', params: ['latest', false] };
/** So many different requests. */
const blocks = (count: number): RpcRequest[] => Array.from({ length: count }, (_, number) => byNumber(number));

beforeAll(async () => {
  chain = await startTestChain();
  mining = await mineInTurn(chain.url, 0.2, () => mayMine());
});
afterAll(async () => {
  await mining.stop();
  await chain.stop();
});
beforeEach(async () => {
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(chain.url)));
  liar = proxies[0]!;
  troubles = [];
});
afterEach(async () => {
  mock.restoreAll();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

const client = (blockTimeMs = 200, timeoutMs = 30_000): Rpc => {
  // A request that still waits when its proxy closes does not concern the next test.
  const own = troubles;
  return createRpc({
    urls: proxies.map(({ url }) => url),
    eip155: chain.chainId,
    blockTimeMs,
    timeoutMs,
    report: (trouble) => own.push(trouble),
  });
};

const reasons = (): string[] => troubles.filter(({ endpoint }) => endpoint === 0).map(({ reason }) => reason);

const call = { to: signer.address, data: '0x' };
const requests: Record<string, readonly unknown[]> = {
  eth_getBlockByNumber: ['latest', false],
  eth_getLogs: [{ fromBlock: '0x0' }],
  eth_getTransactionCount: [signer.address, 'latest'],
  eth_getBalance: [signer.address, 'latest'],
  eth_getCode: [signer.address, 'latest'],
  eth_call: [call, 'latest'],
  eth_estimateGas: [call],
  eth_maxPriorityFeePerGas: [],
};

it('an endpoint that refused a batch in a bad moment gets batches again', async () => {
  const rpc = client();
  await rpc.call('eth_chainId');
  liar.mode = 'single';
  const exchangesOf = async (): Promise<number> => {
    const before = liar.exchanges.length;
    await rpc.batch(blocks(3));
    return liar.exchanges.length - before;
  };
  // The refused batch, the shorter one, and each request by itself.
  expect([await exchangesOf(), await exchangesOf()]).toEqual([5, 3]);
  liar.mode = 'pass';
  const later = performance.now() + 3_600_001;
  const clock = mock.method(performance, 'now', () => later);
  try {
    expect(await exchangesOf()).toBe(1);
  } finally {
    clock.mock.restore();
  }
});

it.each<[string, (ids: readonly unknown[]) => unknown]>([
  ['one error', () => ({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'invalid batch' } })],
  // geth, beyond --rpc.batch-request-limit.
  ['a list of one error', ([id]) => [{ id, error: { code: -32_600, message: 'batch too large' } }]],
  [
    'an error for each request',
    (ids) => ids.map((id) => ({ id, error: { code: -32_005, message: 'batch size limit 10' } })),
  ],
])(
  'an endpoint that takes batches of ten only, and says so by %s, gets shorter ones and keeps its place',
  async (_, refusal) => {
    liar.refuseBatch = (wires) => (wires.length > 10 ? refusal(wires.map(({ id }) => id)) : undefined);
    const rpc = client();
    await rpc.call('eth_chainId');
    const sent = async (count: number): Promise<number[]> => {
      liar.exchanges.length = 0;
      const { endpoint, outcomes } = await rpc.batch(blocks(count));
      expect({ endpoint, ok: outcomes.filter(({ ok }) => ok).length }).toEqual({ endpoint: 0, ok: count });
      return liar.exchanges.map(({ length }) => length);
    };
    expect(await sent(20)).toEqual([20, 10, 10]);
    expect(await sent(25)).toEqual([10, 10, 5]);
    expect(troubles).toEqual([]);
  },
);

it.each([413, 400])(
  'an endpoint that answers a batch of more than ten by HTTP %i alone gets shorter ones and keeps its place',
  async (status) => {
    liar.refuseStatus = (wires) => (wires.length > 10 ? status : undefined);
    const rpc = client();
    await rpc.call('eth_chainId');
    liar.exchanges.length = 0;
    const { endpoint, outcomes } = await rpc.batch(blocks(20));
    expect({ endpoint, ok: outcomes.filter(({ ok }) => ok).length }).toEqual({ endpoint: 0, ok: 20 });
    expect(liar.exchanges.map(({ length }) => length)).toEqual([20, 10, 10]);
    expect(troubles).toEqual([]);
  },
);

describe.each<[string, (isOn: boolean, most: number) => void]>([
  [
    'HTTP status 429',
    (isOn, most) => void (liar.refuseStatus = isOn ? (wires) => (wires.length > most ? 429 : undefined) : null),
  ],
  [
    '15/second request limit reached',
    (isOn, most) => {
      const error = { code: -32_007, message: '15/second request limit reached' };
      const refusal = (wires: readonly WireRequest[]) => wires.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
      liar.refuseBatch = isOn ? (wires) => (wires.length > most ? refusal(wires) : undefined) : null;
    },
  ],
])('an endpoint that asks for a pause by %s', (message, refuse) => {
  const sent = async (rpc: Rpc, length: number): Promise<number> => {
    const { outcomes } = await rpc.batch(blocks(length), { endpoint: 0 });
    return outcomes.filter(({ ok }) => ok).length;
  };

  it('again and again because of long batches gets shorter ones, although short ones succeed', async () => {
    const rpc = client();
    refuse(true, 10);
    await rpc.call('eth_chainId');
    await expect(sent(rpc, 16)).rejects.toThrow(message);
    expect(await sent(rpc, 3)).toBe(3);
    await expect(sent(rpc, 16)).rejects.toThrow(message);
    expect(await sent(rpc, 16)).toBe(16);
    // With the question for the chain, which a failure makes due again.
    expect(liar.exchanges.slice(-6).map(({ length }) => length)).toEqual([16, 4, 16, 8, 8, 1]);
  });

  it('now and then gets batches as long as before', async () => {
    const rpc = client();
    for (const _ of [1, 2]) {
      refuse(true, 10);
      await expect(sent(rpc, 16)).rejects.toThrow(message);
      refuse(false, 0);
      expect(await sent(rpc, 16)).toBe(16);
    }
    expect(liar.exchanges.map(({ length }) => length)).toEqual([17, 17, 16, 17]);
  });
});

it.each<[string, (proxy: Proxy) => void]>([
  ['by HTTP 401 alone', (proxy) => void (proxy.refuseStatus = () => 401)],
  ['by HTTP 403 alone', (proxy) => void (proxy.refuseStatus = () => 403)],
  [
    'in words of keys',
    (proxy) => void (proxy.rewrite = () => ({ error: { code: -32_000, message: 'invalid API key' } })),
  ],
  [
    'by the same words to all',
    (proxy) => void (proxy.rewrite = () => ({ error: { code: -32_000, message: 'no more' } })),
  ],
])('an endpoint that refuses everything %s is reachable, and refuses', async (_, deny) => {
  for (const proxy of proxies) deny(proxy);
  const asked = [latest, { method: 'eth_gasPrice' }];
  const error = await client()
    .batch(asked)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'denied', waiting: 'endpoint_refuses', method: null });
  expect(proxies[0]!.exchanges).toHaveLength(1);
});

it('an endpoint that refuses one request of a batch in words of batches still gets long ones', async () => {
  liar.rewrite = (request) =>
    request.method === 'eth_gasPrice' ? { error: { code: -32_000, message: 'the batcher is not known' } } : request;
  const rpc = client();
  const asked = ['eth_chainId', 'eth_gasPrice', 'eth_blockNumber'].map((method) => ({ method }));
  for (const _ of [1, 2]) {
    liar.exchanges.length = 0;
    expect((await rpc.batch(asked, { endpoint: 0 })).outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(liar.exchanges).toHaveLength(1);
  }
  // Also where that request is the last one, which looks as if there were no room for more.
  const last = asked.toSorted((a, b) => Number(a.method === 'eth_gasPrice') - Number(b.method === 'eth_gasPrice'));
  expect((await rpc.batch(last, { endpoint: 0 })).outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
  liar.exchanges.length = 0;
  await rpc.batch(asked, { endpoint: 0 });
  expect(liar.exchanges).toHaveLength(1);
});

it('an endpoint without room for the responses to a batch gets shorter ones', async () => {
  const count = 8;
  // geth, beyond --rpc.batch-response-max-size: the answers up to there, and this for each one after it.
  const tooLarge = { code: -32_003, message: 'response too large' };
  liar.refuseBatch = (wires) =>
    wires.length > 4
      ? wires.map(({ id }, index) => (index < 4 ? { id, result: '0x1' } : { id, error: tooLarge }))
      : undefined;
  const asked = Array.from({ length: count }, () => ({ method: 'eth_getBalance', params: [hex(20), 'latest'] }));
  const { endpoint, outcomes } = await client().batch(asked);
  expect({ endpoint, ok: outcomes.every(({ ok }) => ok) }).toEqual({ endpoint: 0, ok: true });
});

it('a slow endpoint without batches delays the others for little longer than a silent one', async () => {
  liar.mode = 'single';
  liar.rewrite = (request) => new Promise((resolve) => setTimeout(() => resolve(request), 1_000));
  const rpc = client(200, 2_000);
  const answers = await rpc.everyone(blocks(12));
  // Of the requests by themselves, no more than are answered in two seconds and a quarter of one for each exchange.
  expect(liar.exchanges.filter(({ length }) => length === 1).length).toBeLessThan(6);
  expect(answers.map(({ endpoint }) => endpoint)).toEqual([1, 2]);
  expect(reasons()).toEqual(['no response in time']);
});

describe('nonsense', () => {
  const nonsense = [null, {}, [{}], [null], '', 'x', '0xzz', 7, true];

  it.each(Object.keys(requests))(
    'as a response to %s goes no further, and costs one failed attempt',
    async (method) => {
      for (const answer of nonsense) {
        const rpc = client();
        liar.tamper = (request, result) => (request.method === method ? answer : result);
        liar.exchanges.length = 0;
        const { endpoint, outcomes } = await rpc.batch([{ method, params: requests[method] }]);
        expect({ answer, endpoint, ok: outcomes[0]?.ok }).toEqual({ answer, endpoint: 1, ok: true });
        expect((await rpc.batch([latest])).endpoint).toBe(1);
        expect(liar.exchanges).toHaveLength(1);
        expect(troubles.at(-1)).toMatchObject({ endpoint: 0, isLasting: true, isLie: false });
      }
    },
  );

  it.each<[string, (block: Record<string, unknown>) => unknown]>([
    ['with a hash of null', (block) => ({ ...block, hash: null })],
    ['without a parent', (block) => ({ ...block, parentHash: undefined })],
    ['of another number', (block) => ({ ...block, number: '0x7' })],
  ])('a block %s is an error like any other', async (_, change) => {
    liar.tamper = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x1' ? change(result as Record<string, unknown>) : result;
    await eventually(async () => Number(await client().call('eth_blockNumber')) > 0);
    expect((await client().batch([{ method: 'eth_getBlockByNumber', params: ['0x1', false] }])).endpoint).toBe(1);
  });

  it('logs without topics, of another block or removed are errors like any other', async () => {
    const rpc = client();
    const { hash } = (await rpc.call('eth_getBlockByNumber', ['latest', false])) as { hash: string };
    const log = { address: hex(20), topics: [hex(32)], data: '0x', blockHash: hash, blockNumber: '0x1' };
    const whole = { ...log, transactionHash: hex(32), logIndex: '0x0' };
    const bad = [{ topics: [] }, { topics: null }, { data: '0x1' }, { blockHash: hex(32) }, { removed: true }];
    for (const [index, more] of [...bad, {}].entries()) {
      liar.tamper = ({ method }, result) => (method === 'eth_getLogs' ? [{ ...whole, ...more }] : result);
      const asked = { method: 'eth_getLogs', params: [{ blockHash: hash, topics: [[]] }] };
      expect((await client().batch([asked])).endpoint).toBe(index < bad.length ? 1 : 0);
    }
  });

  it('of more values than memory and time allow is an error like any other', async () => {
    const junk = Array.from({ length: 1_600_000 }, () => 0);
    liar.rewrite = ({ method }) => ({ result: method === 'eth_chainId' ? '0x7a69' : '0x1', junk });
    expect((await client().batch([{ method: 'eth_gasPrice' }])).endpoint).toBe(1);
    // Alone, it is asked for as long as its bytes take, on a busy machine too.
    const alone = createRpc({ urls: [proxies[0]!.url], eip155: chain.chainId, timeoutMs: 100_000 });
    await expect(alone.batch([{ method: 'eth_gasPrice' }])).rejects.toThrow('the response is too large');
  });

  it('a redirect is not followed', async () => {
    const server = http.createServer((_, response) => {
      response.writeHead(307, { location: proxies[1]!.url }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const rpc = createRpc({ urls: [`http://127.0.0.1:${port}`, proxies[2]!.url], eip155: chain.chainId });
      expect((await rpc.batch([latest])).endpoint).toBe(1);
      expect(proxies[1]!.seen).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('that a reader cannot parse makes it ask the next endpoint', async () => {
    const accept = (): void => {
      if (liar.seen.length > 0 && proxies[1]!.seen.length === 0) throw new TypeError('no such thing');
    };
    expect((await client().batch([latest], { accept })).endpoint).toBe(1);
    expect(reasons()).toHaveLength(1);
  });
});

it('equal requests of an exchange are asked once: some endpoints refuse them', async () => {
  const granted = new Set<string>();
  liar.onExchange = () => granted.clear();
  liar.rewrite = (request) => {
    const text = JSON.stringify([request.method, request.params]);
    if (granted.has(text)) return { error: { code: -32_000, message: 'not twice' } };
    granted.add(text);
    return request;
  };
  const [one, two] = blocks(2) as [RpcRequest, RpcRequest];
  const { endpoint, outcomes } = await client().batch([one, latest, one, two, one]);
  expect({ endpoint, ok: outcomes.every(({ ok }) => ok) }).toEqual({ endpoint: 0, ok: true });
  const numbers = outcomes.map((outcome) => outcome.ok && (outcome.result as { number: string } | null)?.number);
  expect([numbers[0], numbers[2], numbers[4]]).toEqual(['0x0', '0x0', '0x0']);
  expect(numbers[3]).not.toBe('0x0');
  expect(troubles).toEqual([]);
});

it.each<[string, object, number, boolean]>([
  ['of null', { error: null }, 0, true],
  ['without words', { error: {} }, 1, true],
])('an error %s beside a result is no lie', async (_, beside, endpoint, ok) => {
  liar.rewrite = ({ method }) => ({ result: method === 'eth_chainId' ? '0x7a69' : '0x1', ...beside });
  const said = await client().batch([{ method: 'eth_gasPrice' }, { method: 'eth_blockNumber' }]);
  expect({ endpoint: said.endpoint, ok: said.outcomes.every((one) => one.ok) }).toEqual({ endpoint, ok });
  expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
  if (endpoint > 0) expect(reasons()[0]).toContain('an empty error beside the result');
});

describe('silence', () => {
  it.each<[string, (rpc: Rpc) => Promise<unknown>]>([
    ['a question', (rpc) => rpc.batch([latest])],
    ['an agreement', (rpc) => rpc.agree([{ method: 'eth_chainId' }], 2, ([own]) => [own?.ok ? 'same' : undefined])],
  ])('of one endpoint does not delay %s: the next endpoint is asked beside it', async (_, ask) => {
    liar.mode = 'stall';
    await ask(client(200, 30_000));
    // Its time is not up yet.
    expect(troubles).toEqual([]);
  });
});

describe('rejections', () => {
  const rejects = (methods: readonly string[], code: number, message: string) => {
    liar.rewrite = (request: WireRequest) =>
      methods.includes(request.method) ? { error: { code, message } } : request;
  };

  it('by one endpoint alone demote it', async () => {
    rejects(['eth_getBalance'], -32_000, 'internal error');
    const rpc = client();
    expect((await rpc.batch([{ method: 'eth_getBalance', params: [signer.address, 'latest'] }])).endpoint).toBe(1);
    expect(reasons()).toEqual(['rejects requests that others grant']);
  });

  it('by all endpoints are the answer', async () => {
    for (const proxy of proxies) {
      proxy.rewrite = (request) =>
        request.method === 'eth_getBalance' ? { error: { code: -32_000, message: 'missing trie node' } } : request;
    }
    const { endpoint, outcomes } = await client().batch([latest, { method: 'eth_getBalance', params: ['0x', '0x1'] }]);
    expect({ endpoint, ok: outcomes.map(({ ok }) => ok) }).toEqual({ endpoint: 0, ok: [true, false] });
    expect(troubles).toEqual([]);
  });

  it.each([
    [-32_005, 'query returned more than 10000 results', true],
    [-32_602, 'Log response size exceeded', true],
    [-32_000, 'eth_getLogs is limited to a 10,000 range', true],
    [-32_005, 'limit exceeded', true],
    [-32_005, 'project ID request rate exceeded', false],
    [429, 'slow down', false],
  ])('%d "%s" is too large a request, or a pause', async (code, message, isTooMuch) => {
    rejects(['eth_getLogs'], code, message);
    const { endpoint, outcomes } = await client().batch([{ method: 'eth_getLogs', params: [{ fromBlock: '0x0' }] }]);
    expect(endpoint).toBe(isTooMuch ? 0 : 1);
    const [outcome] = outcomes;
    expect(outcome?.ok === false && outcome.error.isTooMuch).toBe(isTooMuch);
  });

  it('of the tag pending, of receipts and of a tip are answers, even as null', async () => {
    const optional = [
      { method: 'eth_getTransactionCount', params: [signer.address, 'pending'] },
      { method: 'eth_getBlockReceipts', params: [hex(32)] },
      { method: 'eth_maxPriorityFeePerGas' },
    ];
    rejects(['eth_getTransactionCount', 'eth_getBlockReceipts', 'eth_maxPriorityFeePerGas'], -32_601, 'not here');
    expect((await client().batch(optional)).endpoint).toBe(0);
    liar.rewrite = (request) => (request.params[1] === 'pending' ? { result: null } : request);
    expect((await client().batch(optional.slice(0, 1))).endpoint).toBe(0);
    expect(troubles).toEqual([]);
  });
});

describe('sends', () => {
  const signed = async (): Promise<string> => {
    const nonce = Number(
      await createRpc({ urls: [chain.url], eip155: null }).call('eth_getTransactionCount', [signer.address, 'pending']),
    );
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n };
    const { raw } = await signer.sign({
      eip155: chain.chainId,
      nonce,
      to: signer.address,
      data: '0x',
      value: 0n,
      gasLimit: 21_000n,
      ...fees,
    });
    return raw;
  };

  /** No block comes until the function is called. */
  const stopMining = async (): Promise<() => void> => {
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    mayMine = () => {
      reached.resolve();
      return goOn.promise;
    };
    await reached.promise;
    return () => {
      mayMine = () => Promise.resolve();
      goOn.resolve();
    };
  };

  /** Each waits in the pools for as long as the endpoints are asked about it. */
  const sendOneByOne = async (count: number): Promise<void> => {
    const rpc = client();
    for (let sent = 0; sent < count; sent += 1) {
      const mineOn = await stopMining();
      const raw = await signed();
      expect((await rpc.send([raw])).map(classifySend)).toEqual(['sent']);
      mineOn();
      await eventually(async () => (await rpc.call('eth_getTransactionReceipt', [keccak256(raw)])) !== null);
    }
  };

  it('go to every endpoint', async () => {
    expect((await client().send([await signed()])).map(classifySend)).toEqual(['sent']);
    for (const proxy of proxies) expect(proxy.seen).toContain('eth_sendRawTransaction');
  });

  it('do not wait for a silent leader', async () => {
    liar.mode = 'stall';
    expect((await client(200, 30_000).send([await signed()])).map(classifySend)).toEqual(['sent']);
    // Its time is not up yet.
    expect(troubles).toEqual([]);
  });

  it('go to demoted endpoints, too', async () => {
    const rpc = client();
    rpc.demote(0, 'a test');
    await rpc.send([await signed()]);
    await eventually(() => liar.seen.includes('eth_sendRawTransaction'));
  });

  it('that the leading endpoint swallows arrive, and demote it', async () => {
    liar.rewrite = (request) =>
      request.method === 'eth_sendRawTransaction' ? { result: keccak256(request.params[0] as string) } : request;
    await sendOneByOne(2);
    expect(troubles).toMatchObject([{ reason: 'does not keep the transactions that it accepts', isLie: false }]);
  });

  it('that no endpoint shows before they are in a block demote none, as on chains without a public pool', async () => {
    for (const proxy of proxies)
      proxy.tamper = ({ method }, result) => {
        const isPending = (result as { blockHash?: unknown } | null)?.blockHash == null;
        return method === 'eth_getTransactionByHash' && isPending ? null : result;
      };
    await sendOneByOne(4);
    expect(troubles).toEqual([]);
  });

  it('that one endpoint refuses and two take count as taken', async () => {
    liar.rewrite = (request) =>
      request.method === 'eth_sendRawTransaction' ? { error: { code: -32_000, message: 'nonce too low' } } : request;
    expect((await client().send([await signed()])).map(classifySend)).toEqual(['sent']);
  });
});

describe('a comparison of tips', () => {
  const tip = async () => Number(await createRpc({ urls: [chain.url], eip155: null }).call('eth_blockNumber'));

  /** Makes the liar's newest block another one. */
  const claims = (number: string): void => {
    liar.rewrite = (request) =>
      request.method === 'eth_getBlockByNumber' && request.params[0] === 'latest'
        ? { ...request, params: [number, false] }
        : request;
  };

  it('demotes an endpoint that stands still, until it has caught up', async () => {
    const rpc = client(1_000);
    const still = await tip();
    claims(`0x${still.toString(16)}`);
    await rpc.compare(0);
    expect(rpc.preferred()).toEqual([0, 1, 2]);
    await eventually(async () => (await tip()) > still + 6);
    await rpc.compare(0);
    await eventually(() => reasons().length > 0);
    expect(reasons()).toEqual(['is behind the others']);
    await eventually(() => rpc.preferred().includes(0));
    // Its demotion has ended, but another endpoint leads.
    expect(rpc.preferred()).toEqual([1, 2, 0]);
    liar.rewrite = null;
    await rpc.compare(0);
    await eventually(() => rpc.preferred()[0] === 0);
    expect(rpc.preferred()).toEqual([0, 1, 2]);
  });

  it.each([
    [1_000, false],
    [12_000, true],
  ])(
    'with blocks of %d ms, an endpoint that misses three blocks has a lasting lag: %s',
    async (blockTimeMs, isLasting) => {
      const rpc = client(blockTimeMs);
      const still = await tip();
      claims(`0x${still.toString(16)}`);
      await eventually(async () => (await tip()) > still + 6);
      expect(rpc.isCleared()).toBe(true);
      await rpc.compare(0);
      await eventually(() => troubles.length > 0);
      expect(troubles).toMatchObject([{ reason: 'is behind the others', isLasting }]);
      expect(rpc.isCleared()).toBe(false);
    },
  );

  it('demotes an endpoint that reports blocks that no other has', async () => {
    liar.tamper = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { ...(result as object), number: '0xfffffff', hash: hex(32) }
        : result;
    const rpc = client();
    await rpc.compare(0);
    await eventually(() => reasons().length > 0);
    expect(reasons()).toEqual(['reports blocks that the others do not have']);
  });

  describe('of two endpoints', () => {
    const two = (blockTimeMs: number): Rpc => {
      const own = troubles;
      const urls = proxies.slice(0, 2).map(({ url }) => url);
      return createRpc({ urls, eip155: chain.chainId, blockTimeMs, report: (trouble) => own.push(trouble) });
    };

    it('demotes the endpoint whose newest block cannot exist, and not the honest one', async () => {
      liar.tamper = ({ method, params: [which] }, result) =>
        method === 'eth_getBlockByNumber' && which === 'latest'
          ? { ...(result as object), number: '0xffffff', hash: hex(32) }
          : result;
      const rpc = two(12_000);
      await rpc.compare(0);
      await eventually(() => troubles.length > 0);
      expect(troubles).toEqual([
        expect.objectContaining({ endpoint: 0, reason: 'reports blocks that cannot exist yet', isLasting: true }),
      ]);
      expect(rpc.preferred()).toEqual([1]);
    });

    it.each([
      ['its own', () => hex(32)],
      ['that of the other one', (hash: string) => hash],
    ])('asks the lower one last if it dates an old block with %s hash to now', async (_, hashOf) => {
      await eventually(async () => (await tip()) > 10);
      liar.rewrite = (request) =>
        request.method === 'eth_getBlockByNumber' && request.params[0] === 'latest'
          ? { ...request, params: ['0x1', false] }
          : request;
      liar.tamper = ({ method }, result) => {
        if (method !== 'eth_getBlockByNumber') return result;
        const block = result as { number: string; hash: string };
        const timestamp = `0x${Math.floor(Date.now() / 1_000).toString(16)}`;
        return block.number === '0x1' ? { ...block, hash: hashOf(block.hash), timestamp } : block;
      };
      const rpc = two(3_600_000);
      await rpc.compare(0);
      await eventually(() => troubles.length > 0);
      expect(troubles).toEqual([expect.objectContaining({ endpoint: 0, isLie: false, against: 1 })]);
      expect(rpc.preferred()).toEqual([1]);
    });

    it.each([
      ['has not', () => null],
      ['has with another hash', (block: object) => ({ ...block, hash: hex(32) })],
    ])(
      'demotes an inventor of blocks that agreed before, and that %s the block of the other one',
      async (_, answer) => {
        await eventually(async () => (await tip()) > 3);
        const rpc = two(12_000);
        await rpc.compare(0);
        liar.tamper = ({ method, params: [which] }, result) => {
          if (method !== 'eth_getBlockByNumber' || which === '0x0') return result;
          return which === 'latest'
            ? { ...(result as object), number: '0xffffff', hash: hex(32) }
            : answer(result as object);
        };
        await eventually(async () => {
          await rpc.compare(0);
          return troubles.length > 0;
        });
        const [{ endpoint, reason, against }] = troubles as [(typeof troubles)[number]];
        expect({ endpoint, reason, against }).toEqual({
          endpoint: 0,
          reason: 'reports blocks that cannot exist yet',
          against: null,
        });
        expect(rpc.preferred()).toEqual([1]);
      },
    );

    it('does not call the faster of two nodes an inventor that catch up with a chain', async () => {
      const rpc = two(12_000);
      const early = `0x${(Math.floor(Date.now() / 1_000) - 864_000).toString(16)}`;
      const still = `0x${(await tip()).toString(16)}`;
      const shows = (proxy: Proxy, number: string): void => {
        proxy.tamper = ({ method, params: [which] }, result) =>
          method === 'eth_getBlockByNumber' && which === 'latest'
            ? { ...(result as object), number, timestamp: early }
            : result;
      };
      shows(liar, still);
      shows(proxies[1]!, still);
      await rpc.compare(0);
      expect(troubles).toEqual([]);
      // A hundred minutes of blocks, all made ten days ago.
      shows(proxies[1]!, `0x${(Number(still) + 500).toString(16)}`);
      await rpc.compare(0);
      await eventually(() => troubles.length > 0);
      expect(troubles).toEqual([expect.objectContaining({ endpoint: 0, isLie: false, against: 1 })]);
    });

    it('knows an inventor of blocks while the third endpoint has never responded', async () => {
      proxies[2]!.mode = 'refuse';
      const rpc = client(12_000);
      await rpc.compare(0);
      troubles.length = 0;
      liar.tamper = ({ method, params: [which] }, result) => {
        if (method !== 'eth_getBlockByNumber' || which === '0x0') return result;
        return which === 'latest' ? { ...(result as object), number: '0xffffff', hash: hex(32) } : null;
      };
      await eventually(async () => {
        await rpc.compare(0);
        return troubles.some(({ endpoint }) => endpoint !== 2);
      });
      expect(troubles.filter(({ endpoint }) => endpoint !== 2)).toEqual([
        expect.objectContaining({ endpoint: 0, reason: 'reports blocks that cannot exist yet' }),
      ]);
    });

    it('asks the higher one for a further block only where its blocks seem invented and the two never agreed', async () => {
      const rpc = two(12_000);
      const costs = async (asked: Rpc, expected: readonly number[]): Promise<void> => {
        const before = proxies.map(({ exchanges }) => exchanges.length);
        await asked.compare(0);
        await eventually(() => proxies[1]!.exchanges.length >= before[1]! + expected[1]!);
        expect(proxies.map(({ exchanges }, index) => exchanges.length - before[index]!)).toEqual(expected);
      };
      // The newest block, and the one at the height below it.
      await costs(rpc, [2, 2, 0]);
      liar.tamper = ({ method, params: [which] }, result) =>
        method === 'eth_getBlockByNumber' && which === 'latest'
          ? { ...(result as object), number: '0xffffff' }
          : result;
      await costs(rpc, [1, 1, 0]);
      expect(troubles).toMatchObject([{ endpoint: 0, reason: 'reports blocks that cannot exist yet' }]);
      troubles.length = 0;
      await costs(two(12_000), [2, 1, 0]);
      expect(troubles).toMatchObject([{ endpoint: 0, reason: 'reports blocks that cannot exist yet' }]);
    });

    it('does not call a burst of blocks invented on a chain that makes them on demand', async () => {
      const still = await tip();
      claims(`0x${still.toString(16)}`);
      const own = createRpc({ urls: [chain.url], eip155: null });
      await own.call('anvil_mine', ['0x28']);
      const rpc = two(12_000);
      await rpc.compare(0);
      await eventually(() => troubles.length > 0);
      expect(troubles.map(({ endpoint, reason }) => [endpoint, reason])).not.toContainEqual([
        1,
        'reports blocks that cannot exist yet',
      ]);
    });

    it('asks the lower one last, and reports the contradiction', async () => {
      const still = await tip();
      claims(`0x${still.toString(16)}`);
      await eventually(async () => (await tip()) > still + 6);
      const rpc = two(12_000);
      await rpc.compare(0);
      await eventually(() => troubles.length > 0);
      expect(troubles).toEqual([expect.objectContaining({ endpoint: 0, isLasting: true, isLie: false, against: 1 })]);
      expect(rpc.preferred()).toEqual([1]);
    });
  });

  it('demotes an endpoint on another fork', async () => {
    await eventually(async () => (await tip()) > 2);
    liar.tamper = ({ method }, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), hash: hex(32) } : result;
    const rpc = client();
    await rpc.compare(0);
    await eventually(() => reasons().length > 0);
    expect(reasons()).toEqual(['is on another fork than the others']);
  });

  it('asks no endpoint before its time', async () => {
    const rpc = client();
    const before = proxies.map(({ exchanges }) => exchanges.length);
    await rpc.compare(0);
    // Each was asked for its newest block, then for the one that all have.
    await eventually(() => proxies.every(({ exchanges }, index) => exchanges.length === before[index]! + 2));
    const asked = proxies.map(({ exchanges }) => exchanges.length);
    await rpc.compare(30_000);
    expect(proxies.map(({ exchanges }) => exchanges.length)).toEqual(asked);
  });
});

it('an endpoint is preferred again in time after its demotion, even if the clock was set back', async () => {
  const rpc = client();
  rpc.demoteBriefly(0, 'a test');
  expect(rpc.preferred()).toEqual([1, 2]);
  setBack(600_000);
  await eventually(() => rpc.preferred().includes(0), 5_000);
  expect(rpc.preferred()).toHaveLength(3);
});

it('the clocks of endpoints are reported by their responses', async () => {
  liar.clockMs = 300_000;
  const outside = createOutsideClock();
  const urls = proxies.slice(0, 2).map(({ url }) => url);
  const rpc = createRpc({ urls, eip155: chain.chainId, tellTime: outside.tell });
  await rpc.everyone([latest]);
  // One server of two proves nothing against this clock.
  expect(Math.abs(outside.compare()!.aheadMs)).toBeLessThan(100_000);
  proxies[1]!.clockMs = 300_000;
  await rpc.everyone([latest]);
  expect(Math.abs(outside.compare()!.aheadMs + 300_000)).toBeLessThan(100_000);
});

describe('a quorum', () => {
  it('demotes an endpoint that disagrees, and asks no more endpoints than it needs', async () => {
    liar.tamper = ({ method }, result) => (method === 'eth_getBalance' ? '0x1' : result);
    const rpc = client();
    const ask = () =>
      rpc.agree([{ method: 'eth_getBalance', params: [signer.address, '0x0'] }], 2, ([outcome]) => [
        outcome?.ok ? (outcome.result as string) : undefined,
      ]);
    const [balance] = await ask();
    expect(BigInt(balance!)).toBeGreaterThan(1n);
    expect(reasons()).toEqual(['contradicts the quorum']);
    liar.seen.length = 0;
    await ask();
    expect(liar.seen).toEqual([]);
  });

  it('calls an endpoint no liar that tells of its own newest block, which may be late', async () => {
    liar.tamper = ({ method }, result) => (method === 'eth_getBalance' ? '0x1' : result);
    const pick = ([outcome]: readonly RpcOutcome[]) => [outcome?.ok ? (outcome.result as string) : undefined];
    const asked = { method: 'eth_getBalance', params: [signer.address, 'latest'] };
    // The account pays for nothing meanwhile.
    const [balance] = await client().agree([asked], 2, pick);
    expect(BigInt(balance!)).toBeGreaterThan(1n);
    expect(troubles).toMatchObject([{ endpoint: 0, isLie: false, isLasting: false, demotionMs: 500 }]);
  });
});

it('an endpoint that names its key is quoted without the key', async () => {
  const [user, password, key, token] = ['merchant-7', 'pa55/word', '9aa3d95b3bc440fa88ea12eaa4456161', 'tok+en-2026=='];
  const url = new URL(`/v3/${key}?token=${encodeURIComponent(token)}`, liar.url);
  [url.username, url.password] = [user, encodeURIComponent(password)];
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  const secrets = [user, password, key, token, encodeURIComponent(token), basic];
  const message = `project ID ${key} exceeded its plan (${secrets.join(' | ')}); see ${url.href}`;
  const rpc = createRpc({ urls: [url.href], eip155: null, blockTimeMs: 200, report: () => {} });
  for (const asked of [[latest], blocks(2)]) {
    liar.rewrite = () => ({ error: { code: -32_000, message } });
    const said = await rpc.batch(asked).then(
      ({ outcomes }) => outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error.message])),
      (error: Error) => [error.message],
    );
    expect(said.length).toBeGreaterThan(0);
    for (const text of said) {
      expect(text).toContain('project ID [hidden] exceeded its plan');
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    liar.refuseBatch = () => ({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } });
  }
});
