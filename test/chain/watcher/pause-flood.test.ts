import { contracts } from '../../../chain/pure/contracts.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 1 });
  proxies = await Promise.all([1, 2].map(() => startProxy(gateway.chain.url)));
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
      network: { quorum: 1, confirmations: 1 },
    }),
  );

/** With two endpoints nobody is outvoted, so the liar is not demoted for the logs. */
it('one endpoint of two that invents a pause in every block raises no alert', async () => {
  watch();
  await mine();
  await eventually(isAtTip);
  const all = () => gateway.knex('alerts').where({ kind: 'registry_paused' });
  const { data, topics } = contracts.registry.interface.encodeEventLog('PausedSet', [true, gateway.keys.root.address]);
  proxies[1]!.tamper = ({ method, params }, result) => {
    if (method !== 'eth_getLogs') return result;
    const [{ blockHash }] = params as [{ blockHash: string }];
    const log = { address: gateway.registry, topics, data, blockHash, blockNumber: '0x1', logIndex: '0x0' };
    return [{ ...log, transactionHash: forgedHash(1), transactionIndex: '0x0', removed: false }];
  };
  for (let made = 0; made < 6; made += 1) {
    await mine();
    await eventually(isAtTip);
    const before = (await all()).length;
    await mine();
    // The watcher looks at the pause, which is over, and closes the alert.
    await eventually(
      async () => (await all()).length > before || (await all()).every(({ closed_at }) => closed_at !== null),
      6_000,
    ).catch(() => undefined);
    await eventually(async () => (await all()).every(({ closed_at }) => closed_at !== null), 3_000).catch(
      () => undefined,
    );
  }
  const raised = await all();
  expect({ raised: raised.length }).toEqual({ raised: 0 });
}, 120_000);
