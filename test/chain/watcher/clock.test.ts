import { mock } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { setBack } from '../../support/clock.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * A clock that was ahead is put right, as the alert `clock_wrong` asks for. Each test runs with and without it.
 */

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 3 });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
});
afterEach(async () => {
  mock.restoreAll();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

const ready = async (): Promise<TestPayment> => {
  const [payment] = await gateway.pay(1);
  await allAre(gateway, [payment!], 'awaiting_payment');
  return payment!;
};
const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const risen = async (blocks: number): Promise<void> => {
  const from = Number((await cursor()).number);
  await eventually(async () => Number((await cursor()).number) >= from + blocks);
};

describe.each([0, 600_000])('With a clock set back by %d ms', (ms) => {
  it('a payment is noticed although the leading endpoint stands still', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher({ urls: proxies.map(({ url }) => url) }));
    const payment = await ready();
    await risen(5);
    setBack(ms);
    await risen(5);
    const still = Number(await gateway.rpc.call('eth_blockNumber'));
    for (const proxy of proxies.slice(0, 1))
      proxy.rewrite = (request) => {
        const [number] = request.params as [string];
        if (request.method !== 'eth_getBlockByNumber') return request;
        if (number === 'latest') return { ...request, params: [`0x${still.toString(16)}`, false] };
        return Number(number) > still ? { result: null } : request;
      };
    await gateway.buy(payment);
    expect(await allAre(gateway, [payment], 'completed', 15_000)).toBe(true);
  });

  it('a payment is noticed whose logs the only endpoint leaves out', async () => {
    proxies[0]!.tamper = ({ method }, result) => (method === 'eth_getLogs' ? [] : result);
    keep(gateway.startLane());
    keep(gateway.startWatcher({ urls: [proxies[0]!.url], watch: { recheck: 1_000 } }));
    const payment = await ready();
    await risen(10);
    setBack(ms);
    await risen(5);
    await gateway.buy(payment);
    expect(await allAre(gateway, [payment], 'completed', 15_000)).toBe(true);
  });

  it('a round that fails meanwhile is repeated soon, as long as a payment is open', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher({ urls: [proxies[0]!.url], isPatient: true }));
    const payment = await ready();
    let held = 0;
    // A round is under way, and its request is never answered.
    proxies[0]!.rewrite = () => {
      held += 1;
      return new Promise(() => {});
    };
    await eventually(() => held > 0);
    setBack(ms);
    proxies[0]!.rewrite = null;
    await gateway.buy(payment);
    expect(await allAre(gateway, [payment], 'completed', 20_000)).toBe(true);
  });
});

// Last, because the chain is slower afterwards.
describe.each([0, 600_000])('Without blocks, with a clock set back by %d ms', (ms) => {
  it('a word that could not be read once is read again, without another block', async () => {
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    await gateway.rpc.call('evm_setAutomine', [true]);
    try {
      keep(gateway.startLane());
      keep(gateway.startWatcher({ urls: [proxies[0]!.url], network: { quorum: 1, confirmations: 1 } }));
      const payment = await ready();
      const tip = Number(await gateway.rpc.call('eth_blockNumber'));
      await eventually(async () => Number((await cursor()).number) === tip);
      let failures = 0;
      proxies[0]!.rewrite = (request) => {
        if (request.method !== 'eth_call' || failures > 0) return request;
        failures += 1;
        return { error: { code: -32_005, message: 'rate limit exceeded' } };
      };
      await gateway.buy(payment);
      await eventually(() => failures > 0);
      // The judgement has ended once later rounds ask for blocks.
      const { length } = proxies[0]!.exchanges;
      await eventually(() => proxies[0]!.exchanges.length > length + 2);
      setBack(ms);
      expect(await allAre(gateway, [payment], 'completed', 15_000)).toBe(true);
    } finally {
      await gateway.rpc.call('evm_setAutomine', [false]);
      await gateway.rpc.call('evm_setIntervalMining', [1]);
    }
  });
});
