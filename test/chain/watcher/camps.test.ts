import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

/* Two of four endpoints are on another fork, whose newest block is one higher. The quorum is two, and there is no majority. */

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 1 });
  proxies = await Promise.all([1, 2, 3, 4].map(() => startProxy(gateway.chain.url)));
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  await gateway.rpc.call('evm_setAutomine', [true]);
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
const forgedHash = (number: number): string => `0x${'ab'.repeat(28)}${number.toString(16).padStart(8, '0')}`;
const hexOf = (number: number): string => `0x${number.toString(16)}`;

it('stored blocks are not removed by half of the endpoints', async () => {
  const said: string[] = [];
  keep(
    gateway.startWatcher({
      urls: proxies.map(({ url }) => url),
      watch: { logsIdle: 100 },
      network: { quorum: 2, confirmations: 1 },
      log: { debug: () => {}, info: () => {}, error: () => {}, warn: (text) => void said.push(text) },
    }),
  );
  for (let made = 0; made < 6; made += 1) {
    await gateway.rpc.call('anvil_mine', ['0x1']);
    await eventually(async () => Number((await cursor())?.number) === (await tip()));
  }
  const height = await tip();
  const parent = (await gateway.rpc.call('eth_getBlockByNumber', [hexOf(height - 1), false])) as { hash: string };
  const real = (await gateway.rpc.call('eth_getBlockByNumber', [hexOf(height), false])) as { hash: string };
  const other = (number: number): object => ({
    ...real,
    number: hexOf(number),
    hash: forgedHash(number),
    parentHash: number === height ? parent.hash : forgedHash(number - 1),
  });
  for (const proxy of proxies.slice(0, 2))
    proxy.rewrite = (request) => {
      const [asked] = request.params as [string | { blockHash?: string }];
      if (request.method === 'eth_getLogs' && (asked as { blockHash?: string }).blockHash?.startsWith('0xabab'))
        return { result: [] };
      if (request.method !== 'eth_getBlockByNumber') return request;
      const number = asked === 'latest' ? height + 1 : Number(asked);
      if (number > height + 1) return { result: null };
      return number >= height ? { result: other(number) } : request;
    };
  const seen = proxies.map(({ exchanges }) => exchanges.length);
  await eventually(() => proxies.every(({ exchanges }, place) => exchanges.length > seen[place]! + 6));
  const [stored] = await gateway.knex('block_headers').where({ number: height }).pluck('hash');
  expect({ stored, said }).toEqual({ stored: real.hash, said: [] });
}, 60_000);
