import { eventually } from '../../support/eventually.ts';
import { registryCall } from '../support/gateway.ts';
import type { Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';
import { useStillChain } from '../support/still-chain.ts';

/*
 * One endpoint of three, with a quorum of two, replaces one block in the midst of true ones, and has no logs of it. It tells
 * the truth where endpoints are compared.
 */

const own = useStillChain({ confirmations: 3 });
const { tip, mine, isAtTip } = own;
const keep = stopAfterEach();

const forged = `0x${'ab'.repeat(32)}`;

it.each([true, false])('an event of the registry raises its alert; with the lie: %s', async (isLie) => {
  const troubles: string[] = [];
  keep(
    own.gateway.startWatcher({
      urls: own.proxies.map(({ url }) => url),
      watch: { logsIdle: 100 },
      network: { quorum: 2 },
      report: ({ endpoint, reason }) => troubles.push(`${endpoint}: ${reason}`),
    }),
  );
  for (let made = 0; made < 6; made += 1) {
    await mine();
    await eventually(isAtTip);
  }
  const hidden = (await tip()) + 1;
  const [liar] = own.proxies as [Proxy];
  if (isLie) {
    liar.tamper = ({ method, params }, result) => {
      const isCompared = liar.exchanges.at(-1)!.length === 1 && params[0] !== 'latest';
      if (method !== 'eth_getBlockByNumber' || result === null || isCompared) return result;
      const block = result as { number: string };
      const number = Number(block.number);
      if (number === hidden) return { ...block, hash: forged };
      return number === hidden + 1 ? { ...block, parentHash: forged } : block;
    };
    liar.rewrite = (request) => {
      const [filter] = request.params as [{ blockHash?: string }];
      return request.method === 'eth_getLogs' && filter.blockHash === forged ? { result: [] } : request;
    };
  }
  await own.gateway.send(own.gateway.keys.guardian, own.gateway.registry, registryCall('setPaused', true));
  expect(await tip()).toBe(hidden);
  for (let made = 0; made < 4; made += 1) {
    await mine();
    await eventually(isAtTip);
  }
  const said = await eventually(
    async () => (await own.gateway.knex('alerts').where({ kind: 'registry_paused' })).length > 0,
    35_000,
  ).catch((error: Error) => error.message);
  const stored = await own.gateway.knex('block_headers').where({ number: hidden }).pluck('hash');
  expect({ said, stored, troubles }).toMatchObject({ said: true });
});
