import { startGateway, type Gateway } from '../support/gateway.ts';
import { eventually } from '../../support/eventually.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* Three endpoints and six confirmations. The first endpoint invents blocks on top of the newest one. */

const CONFIRMATIONS = 6;
let gateway: Gateway;
let liar: Proxy;
let honest: Proxy[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: CONFIRMATIONS, blockTime: 0.2 });
  liar = await startProxy(gateway.chain.url);
  honest = await Promise.all([startProxy(gateway.chain.url), startProxy(gateway.chain.url)]);
});
afterAll(async () => {
  await Promise.all([liar, ...honest].map((proxy) => proxy.close()));
  await gateway.close();
});

const hex = (value: number): string => `0x${value.toString(16)}`;
const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
const mine = (blocks: number) => gateway.rpc.call('anvil_mine', [hex(blocks)]);

/** Puts empty blocks on top of the newest one, as the liar tells it. */
const inventBlocks = async (count: number): Promise<void> => {
  const base = await tip();
  const newest = (await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
  const hashOf = (number: number): string => `0x${'ab'.repeat(28)}${number.toString(16).padStart(8, '0')}`;
  const invented = (number: number) => ({
    ...newest,
    transactions: [],
    number: hex(number),
    hash: hashOf(number),
    parentHash: number === base + 1 ? newest.hash : hashOf(number - 1),
    timestamp: hex(Number(newest.timestamp) + number - base),
  });
  liar.rewrite = (request) => {
    const [first] = request.params as [unknown];
    if (request.method === 'eth_blockNumber') return { result: hex(base + count) };
    if (request.method === 'eth_getBlockByNumber') {
      const number = first === 'latest' ? base + count : Number(first);
      return number > base && number <= base + count ? { result: invented(number) } : request;
    }
    const isInvented = JSON.stringify(first).includes('ab'.repeat(28));
    return isInvented && /getLogs|getBlockReceipts/.test(request.method) ? { result: [] } : request;
  };
};

it.each([2, 3])('a payment needs its confirmations at as many endpoints as the quorum of %i', async (quorum) => {
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  await gateway.rpc.call('evm_setAutomine', [true]);
  // Long enough that the blocks of the liar are not told apart by their number alone.
  const network = { blockTimeMs: 12_000 };
  const urls = [liar.url, ...honest.map(({ url }) => url)];
  keep(gateway.startWatcher({ urls, network: { ...network, quorum } }));
  const lane = keep(gateway.startLane({ network }));
  const [payment] = await gateway.pay(1);
  const mining = setInterval(() => void mine(1).catch(() => {}), 100);
  await allAre(gateway, [payment!], 'awaiting_payment', 60_000).finally(() => clearInterval(mining));
  await lane.stop();
  await gateway.rpc.call('evm_setAutomine', [false]);
  const scanned = async () => Number((await gateway.knex('watch_cursors').first('number')).number);
  const before = await tip();
  await eventually(async () => (await scanned()) >= before, 60_000);

  await gateway.buy(payment!);
  await mine(1);
  await inventBlocks(CONFIRMATIONS - 1);
  const invented = (await tip()) + CONFIRMATIONS - 1;
  // The watcher believes the invented blocks, and asks the others for the words of the block that these would confirm.
  await eventually(async () => (await scanned()) === invented, 60_000);
  const asked = honest.map(() => 0);
  for (const [index, proxy] of honest.entries()) {
    proxy.tamper = ({ method, params }, result) => {
      if (method === 'eth_getBlockByNumber' && (params as unknown[])[0] === 'latest') asked[index]! += 1;
      return result;
    };
  }
  await eventually(() => Math.min(...asked) >= 3, 60_000);
  expect(await gateway.statuses([payment!])).not.toContain('completed');
  liar.rewrite = null;
  await mine(CONFIRMATIONS - 2);
  const almost = await tip();
  await eventually(async () => (await scanned()) === almost, 60_000);
  expect(await gateway.statuses([payment!])).not.toContain('completed');
  await mine(1);
  await allAre(gateway, [payment!], 'completed', 60_000);
});
