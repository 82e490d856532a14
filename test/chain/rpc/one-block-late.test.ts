import { mock } from 'node:test';
import type { EndpointTrouble } from '../../../chain/rpc/member.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import type { Chain } from '../../../tools/stack/chain.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { startTestChain } from '../../support/chain.ts';

/* An honest endpoint that is one block late, and moves. */

let chain: Chain;
let proxies: Proxy[];
let heights: number[];
let troubles: EndpointTrouble[];
let passedMs: number;
const hexOf = (number: number): string => `0x${number.toString(16)}`;

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());
beforeEach(async () => {
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(chain.url)));
  heights = [100, 100, 99];
  troubles = [];
  passedMs = 0;
  const now = performance.now.bind(performance);
  mock.method(performance, 'now', () => now() + passedMs);
  for (const [index, proxy] of proxies.entries()) {
    const numberOf = ([asked]: readonly unknown[]): number => (asked === 'latest' ? heights[index]! : Number(asked));
    proxy.rewrite = (request) => {
      if (request.method !== 'eth_getBlockByNumber') return request;
      if (numberOf(request.params) > heights[index]!) return { result: null };
      return { ...request, params: ['0x0', false] };
    };
    proxy.tamper = ({ method, params }, result) => {
      if (method !== 'eth_getBlockByNumber') return result;
      const number = numberOf(params);
      return { ...(result as object), number: hexOf(number), hash: `0x${number.toString(16).padStart(64, 'a')}` };
    };
  }
});
afterEach(async () => {
  mock.restoreAll();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

const client = (blockTimeMs: number, count = 3): Rpc =>
  createRpc({
    urls: proxies.slice(0, count).map(({ url }) => url),
    eip155: chain.chainId,
    blockTimeMs,
    report: (trouble) => troubles.push(trouble),
  });

/** Compares at these seconds, as the watcher does once per block time. */
const compareAt = async (rpc: Rpc, seconds: readonly number[]): Promise<void> => {
  for (const second of seconds) {
    passedMs = second * 1_000;
    await rpc.compare(0);
  }
};

const told = () => troubles.map(({ endpoint, reason, isLasting }) => ({ endpoint, reason, isLasting }));

it('is not reported where two proposers in a row of a chain with blocks of 12 s miss their slots', async () => {
  const rpc = client(12_000);
  await compareAt(rpc, [0, 12, 24.2]);
  // The next block comes after 36 s.
  heights = [101, 101, 100];
  await compareAt(rpc, [36.1]);
  expect(told()).toEqual([]);
});

it('wakes nobody where it is five seconds late with the only block of minutes', async () => {
  const rpc = client(2_000);
  heights = [99, 99, 99];
  await compareAt(rpc, [0]);
  heights = [100, 100, 99];
  await compareAt(rpc, [60, 62, 64.2]);
  heights = [100, 100, 100];
  await compareAt(rpc, [66]);
  expect(told().filter(({ isLasting }) => isLasting)).toEqual([]);
});
