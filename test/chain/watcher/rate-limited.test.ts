import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 1 });
  proxies = await Promise.all([1, 2].map(() => startProxy(gateway.chain.url)));
  await gateway.rpc.call('evm_setAutomine', [false]);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

/** An endpoint that is rate-limited must be left alone for its demotion, or its limit never recovers. */
it('the second of two endpoints that refuses with 429 is left alone while it is demoted', async () => {
  const rests: number[] = [];
  keep(gateway.startLane());
  keep(
    gateway.startWatcher({
      urls: proxies.map(({ url }) => url),
      network: { quorum: 1, confirmations: 1, blockTimeMs: 1_000 },
      report: ({ demotionMs }) => rests.push(demotionMs),
    }),
  );
  const [first] = await gateway.pay(1);
  await allAre(gateway, [first!], 'awaiting_payment');
  proxies[1]!.mode = '429';
  const began = performance.now();
  // Demotions of 0.5, 1, 2, 4, 8, 16 and 30 s: four of them in the first eight seconds, on a usual machine.
  while (performance.now() - began < 8_000) {
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment', 60_000);
  }
  // Each demotion but the last was over before the next began.
  const rested = rests.slice(0, -1).reduce((sum, rest) => sum + rest, 0);
  expect(rested).toBeGreaterThan(0);
  expect(rested).toBeLessThanOrEqual(performance.now() - began);
});
