import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../domain/ports/log.ts';
import { eventually } from '../../support/eventually.ts';
import { quiet, startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 3 });
  proxies = await Promise.all([1, 2].map(() => startProxy(gateway.chain.url)));
  await gateway.rpc.call('evm_setIntervalMining', [0]);
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
const hexOf = (number: number): string => `0x${number.toString(16)}`;

/** The endpoint has each block this many milliseconds later. */
const beLate = (proxy: Proxy, seen: () => number): void => {
  proxy.rewrite = (request) => {
    const [asked] = request.params as [string];
    if (request.method !== 'eth_getBlockByNumber') return request;
    if (asked === 'latest') return { ...request, params: [hexOf(seen()), false] };
    return Number(asked) > seen() ? { result: null } : request;
  };
};

/** Blocks of 100 ms, finality 12: the second endpoint is one second late, which is ordinary, and no reason for a demotion. */
it('a watcher does not count its network as silent while the second endpoint of a fast chain is a second late', async () => {
  const lines: string[] = [];
  const troubles: string[] = [];
  const log: Log = { ...quiet, warn: (message: string) => void lines.push(message) };
  let newest = await tip();
  const history: { at: number; number: number }[] = [];
  beLate(proxies[1]!, () => history.filter(({ at }) => at <= performance.now() - 1_000).at(-1)?.number ?? newest);
  keep(
    gateway.startWatcher({
      urls: proxies.map(({ url }) => url),
      network: { quorum: 1, confirmations: 3, finality: 12, blockTimeMs: 100 },
      log,
      report: ({ endpoint, reason }) => troubles.push(`${endpoint}: ${reason}`),
    }),
  );
  const until = performance.now() + 8_000;
  const lags: number[] = [];
  while (performance.now() < until) {
    await gateway.rpc.call('anvil_mine', ['0x1']);
    history.push({ at: performance.now(), number: await tip() });
    const row = await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
    lags.push((await tip()) - Number(row?.number ?? 0));
    await delay(60);
  }
  newest = await tip();
  await eventually(() => true);
  expect({
    waits: lines.filter((line) => line.includes('waits for its network')).length,
    troubles,
    worst: Math.max(...lags.slice(10)),
  }).toEqual({
    waits: 0,
    troubles: [],
    worst: expect.any(Number),
  });
});
