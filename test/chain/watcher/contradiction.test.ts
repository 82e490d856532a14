import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* A watcher of two endpoints, of which one dates its old block to now. */

let gateway: Gateway;
const keep = stopAfterEach();
beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, blockTime: 0.2 });
});
afterAll(() => gateway.close());

it('an endpoint of two that stays at an old block and dates it to now does not delay the watcher', async () => {
  keep(gateway.startLane());
  const warm = keep(gateway.startWatcher());
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  await warm.stop();
  const liar = await startProxy(gateway.chain.url);
  const troubles: string[] = [];
  try {
    const [row] = await gateway.knex('watch_cursors').where({ network_id: gateway.network.id });
    const number = Number(row.number);
    const newest = `0x${number.toString(16)}`;
    liar.rewrite = (request) => {
      const [block] = request.params;
      if (request.method === 'eth_blockNumber') return { result: newest };
      if (request.method !== 'eth_getBlockByNumber') return request;
      if (block === 'latest') return { ...request, params: [newest, false] };
      return Number(block) > number ? { result: null } : request;
    };
    liar.tamper = ({ method, params: [which] }, result) =>
      method === 'eth_getBlockByNumber' && (which === 'latest' || which === newest) && result !== null
        ? { ...(result as object), timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}` }
        : result;
    // More blocks than the chain makes in an hour.
    for (let i = 0; i < 20; i += 1) await gateway.rpc.call('anvil_mine', ['0x64']);
    keep(
      gateway.startWatcher({
        urls: [liar.url, gateway.chain.url],
        network: { blockTimeMs: 10_000 },
        watch: { compared: 500, comparedIdle: 500 },
        report: ({ endpoint, reason }) => troubles.push(`${endpoint}: ${reason}`),
      }),
    );
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment', 60_000).catch((error: Error) => {
      throw new Error(`${error.message}; ${[...new Set(troubles)].join(', ')}`);
    });
    expect(troubles.filter((line) => line.startsWith('1'))).toEqual([]);
  } finally {
    await liar.close();
  }
});
