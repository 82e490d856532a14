import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy, type ProxyMode } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* The second of two endpoints hangs for hours: it takes connections and does not answer (a firewall, an overloaded node). */

let gateway: Gateway;
let proxies: Proxy[];
let troubles: string[];
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 1 });
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  troubles = [];
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  await gateway.rpc.call('evm_setAutomine', [true]);
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const tipHash = async (): Promise<string> =>
  ((await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as { hash: string }).hash;
const isAtTip = async (): Promise<boolean> => {
  const at = await cursor();
  const [header] = await gateway.knex('block_headers').where({ network_id: gateway.network.id, number: at.number });
  return header.hash === (await tipHash());
};

it.each(['pass', 'refuse', 'stall'] as ProxyMode[])(
  'payments are ready in the usual time while the second of two endpoints does: %s',
  async (mode) => {
    await gateway.rpc.call('evm_setAutomine', [false]);
    await gateway.rpc.call('evm_setIntervalMining', [1]);
    keep(gateway.startLane({ network: { blockTimeMs: 1_000 } } as never));
    keep(
      gateway.startWatcher({
        urls: proxies.slice(0, 2).map(({ url }) => url),
        network: { quorum: 1, confirmations: 1, blockTimeMs: 1_000 },
        report: ({ endpoint, reason, demotionMs }) => troubles.push(`${endpoint}: ${reason} ${demotionMs}`),
      }),
    );
    const [first] = await gateway.pay(1);
    await allAre(gateway, [first!], 'awaiting_payment');
    proxies[1]!.mode = mode;
    // It is found to be silent, and demoted, by the first payments.
    const took: number[] = [];
    for (let made = 0; made < 8; made += 1) {
      const began = performance.now();
      const [payment] = await gateway.pay(1);
      await allAre(gateway, [payment!], 'awaiting_payment', 60_000);
      took.push(Math.round(performance.now() - began));
    }
    const slow = took.slice(3).filter((ms) => ms > 1_700).length;
    expect({ slow, took, asked: troubles.length }).toMatchObject({ slow: 0 });
  },
  240_000,
);

/** An endpoint that is rate-limited must be left alone for its demotion, or its limit never recovers. */
it('the second of two endpoints that refuses with 429 is left alone while it is demoted', async () => {
  await gateway.rpc.call('evm_setAutomine', [false]);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
  keep(gateway.startLane());
  keep(
    gateway.startWatcher({
      urls: proxies.slice(0, 2).map(({ url }) => url),
      network: { quorum: 1, confirmations: 1, blockTimeMs: 1_000 },
      report: ({ endpoint, demotionMs }) => troubles.push(`${endpoint}: ${demotionMs}`),
    }),
  );
  const [first] = await gateway.pay(1);
  await allAre(gateway, [first!], 'awaiting_payment');
  proxies[1]!.mode = '429';
  const began = performance.now();
  // Demotions of 0.5, 1, 2, 4, 8, 16 and 30 s: four of them in the first eight seconds.
  while (performance.now() - began < 8_000) {
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment', 60_000);
  }
  expect(troubles.length).toBeLessThanOrEqual(6);
}, 60_000);

it.each(['pass', 'stall'] as ProxyMode[])(
  'a reorganisation of one block is followed at once while the third of three endpoints, with a quorum of two, does: %s',
  async (mode) => {
    keep(gateway.startLane());
    const [payment] = await gateway.pay(1);
    keep(
      gateway.startWatcher({
        urls: proxies.map(({ url }) => url),
        network: { quorum: 2, confirmations: 2, blockTimeMs: 2_000 },
        report: ({ endpoint, reason, demotionMs }) => troubles.push(`${endpoint}: ${reason} ${demotionMs}`),
      }),
    );
    await gateway.rpc.call('anvil_mine', ['0x3']);
    await allAre(gateway, [payment!], 'pending').catch(() => undefined);
    await eventually(isAtTip);
    proxies[2]!.mode = mode;
    await eventually(() => mode === 'pass' || troubles.some((line) => line.startsWith('2: no response')));
    const took: number[] = [];
    for (let made = 0; made < 5; made += 1) {
      await gateway.rpc.call('anvil_mine', ['0x1']);
      await eventually(isAtTip);
      const began = performance.now();
      await gateway.rpc.call('anvil_reorg', [1, []]);
      await gateway.rpc.call('anvil_mine', ['0x1']);
      await eventually(isAtTip, 30_000);
      took.push(Math.round(performance.now() - began));
    }
    expect({ slow: took.filter((ms) => ms > 1_000).length, took }).toMatchObject({ slow: 0 });
  },
  90_000,
);
