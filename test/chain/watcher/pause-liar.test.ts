import { contracts } from '../../../chain/pure/contracts.ts';
import { eventually } from '../../support/eventually.ts';
import { registryCall, startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 1 });
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  await gateway.rpc.call('evm_setAutomine', [true]);
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
const mine = () => gateway.rpc.call('anvil_mine', ['0x1']);
const isAtTip = async (): Promise<boolean> => Number((await cursor())?.number) === (await tip());
const forgedHash = (number: number): string => `0x${'ab'.repeat(28)}${number.toString(16).padStart(8, '0')}`;

const watch = () =>
  keep(
    gateway.startWatcher({
      urls: proxies.map(({ url }) => url),
      watch: { logsIdle: 100 },
      network: { quorum: 2, confirmations: 1 },
    }),
  );

it('one endpoint of three that invents a log does not end the alert of a pause', async () => {
  watch();
  await mine();
  await eventually(isAtTip);
  await gateway.send(gateway.keys.guardian, gateway.registry, registryCall('setPaused', true));
  const open = () => gateway.knex('alerts').where({ kind: 'registry_paused', closed_at: null });
  await eventually(async () => (await open()).length === 1);
  const { data, topics } = contracts.registry.interface.encodeEventLog('PausedSet', [false, gateway.keys.root.address]);
  proxies[0]!.tamper = ({ method, params }, result) => {
    if (method !== 'eth_getLogs') return result;
    const [{ blockHash }] = params as [{ blockHash: string }];
    const log = { address: gateway.registry, topics, data, blockHash, blockNumber: '0x1', logIndex: '0x0' };
    return [{ ...log, transactionHash: forgedHash(1), transactionIndex: '0x0', removed: false }];
  };
  await mine();
  await eventually(isAtTip);
  await mine();
  await eventually(isAtTip);
  expect(await open()).toHaveLength(1);
});
