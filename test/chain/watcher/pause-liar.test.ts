import { contracts } from '../../../chain/pure/contracts.ts';
import { eventually } from '../../support/eventually.ts';
import { registryCall } from '../support/gateway.ts';
import { stopAfterEach } from '../support/running.ts';
import { forgedHash, useStillChain } from '../support/still-chain.ts';

const own = useStillChain();
const { mine, isAtTip } = own;
const keep = stopAfterEach();

/** Watches by the first so many endpoints, from its first block on. */
const watch = async (endpoints: number, quorum: number): Promise<void> => {
  keep(
    own.gateway.startWatcher({
      urls: own.proxies.slice(0, endpoints).map(({ url }) => url),
      watch: { logsIdle: 100 },
      network: { quorum, confirmations: 1 },
    }),
  );
  await mine();
  await eventually(isAtTip);
};

/** Lets an endpoint invent an event of the registry in each block. @returns how often it has done so */
const invent = (endpoint: number, isPause: boolean): (() => number) => {
  let count = 0;
  const { gateway, proxies } = own;
  const root = gateway.keys.root.address;
  const { data, topics } = contracts.registry.interface.encodeEventLog('PausedSet', [isPause, root]);
  proxies[endpoint]!.tamper = ({ method, params }, result) => {
    if (method !== 'eth_getLogs') return result;
    count += 1;
    const [{ blockHash }] = params as [{ blockHash: string }];
    const log = { address: gateway.registry, topics, data, blockHash, blockNumber: '0x1', logIndex: '0x0' };
    return [{ ...log, transactionHash: forgedHash(1), transactionIndex: '0x0', removed: false }];
  };
  return () => count;
};

const paused = () => own.gateway.knex('alerts').where({ kind: 'registry_paused' });

it('one endpoint of three that invents a log does not end the alert of a pause', async () => {
  await watch(3, 2);
  await own.gateway.send(own.gateway.keys.guardian, own.gateway.registry, registryCall('setPaused', true));
  const open = () => paused().where({ closed_at: null });
  await eventually(async () => (await open()).length === 1);
  invent(0, false);
  await mine();
  await eventually(isAtTip);
  await mine();
  await eventually(isAtTip);
  expect(await open()).toHaveLength(1);
});

/** With two endpoints nobody is outvoted, so the liar is not demoted for the logs. */
it('one endpoint of two that invents a pause in every block raises no alert', async () => {
  await watch(2, 1);
  const invented = invent(1, true);
  for (let made = 0; made < 12; made += 1) {
    await mine();
    await eventually(isAtTip);
  }
  await eventually(() => invented() >= 12);
  expect(await paused()).toEqual([]);
});
