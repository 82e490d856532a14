import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

let gateway: Gateway;
let proxies: Proxy[];
let troubles: string[];
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 2 });
  proxies = await Promise.all([1, 2, 3, 4].map(() => startProxy(gateway.chain.url)));
  troubles = [];
  await gateway.rpc.call('evm_setIntervalMining', [0]);
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
const hexOf = (number: number): string => `0x${number.toString(16)}`;
const alerts = () => gateway.knex('alerts').pluck('kind');
const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const tipHash = async (): Promise<string> =>
  ((await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as { hash: string }).hash;
const isAtTip = async (): Promise<boolean> => {
  const at = await cursor();
  const [header] = await gateway.knex('block_headers').where({ network_id: gateway.network.id, number: at.number });
  return header.hash === (await tipHash());
};
const standStill = (proxy: Proxy, still: number): void => {
  proxy.rewrite = (request) => {
    const [asked] = request.params as [string];
    if (request.method === 'eth_blockNumber') return { result: hexOf(still) };
    if (request.method !== 'eth_getBlockByNumber') return request;
    if (asked === 'latest') return { ...request, params: [hexOf(still), false] };
    return Number(asked) > still ? { result: null } : request;
  };
};

/** Two of the endpoints stopped to sync one after the other, hours ago, and respond. They have been demoted ever since. */
it('a reorganisation is followed by the endpoint that is well, with a quorum of one, though two others have stopped to sync', async () => {
  keep(
    gateway.startWatcher({
      urls: proxies.slice(0, 3).map(({ url }) => url),
      network: { quorum: 1, confirmations: 2, blockTimeMs: 1_000 },
      report: ({ endpoint, reason }) => troubles.push(`${endpoint}: ${reason}`),
    }),
  );
  await gateway.rpc.call('anvil_mine', ['0x5']);
  await eventually(isAtTip);
  standStill(proxies[2]!, await tip());
  for (let made = 0; made < 8; made += 1) {
    await gateway.rpc.call('anvil_mine', ['0x1']);
    await eventually(isAtTip);
  }
  await eventually(() => troubles.filter((line) => line.startsWith('2: ')).length >= 3, 60_000);
  standStill(proxies[1]!, await tip());
  for (let made = 0; made < 8; made += 1) {
    await gateway.rpc.call('anvil_mine', ['0x1']);
    await eventually(isAtTip);
  }
  await eventually(() => troubles.filter((line) => line.startsWith('1: ')).length >= 3, 60_000);
  // One block is replaced, and the chain goes on.
  await gateway.rpc.call('anvil_reorg', [1, []]);
  await gateway.rpc.call('anvil_mine', ['0x3']);
  const said = await eventually(isAtTip, 20_000).catch((error: Error) => error.message);
  expect({
    said,
    at: Number((await cursor()).number),
    tip: await tip(),
    alerts: await alerts(),
    troubles: [...new Set(troubles)],
  }).toMatchObject({ said: true });
});
