import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import type { Log } from '../../../domain/ports/log.ts';
import type { Chain } from '../../../tools/stack/chain.ts';
import { startTestChain } from '../../support/chain.ts';
import { eventually } from '../../support/eventually.ts';
import { quiet, startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * A network whose only endpoint comes to serve another chain, and whose own chain makes a block only for a transaction.
 */

let gateway: Gateway;
let other: Chain;
let proxy: Proxy;
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 1 });
  [other, proxy] = await Promise.all([startTestChain(), startProxy(gateway.chain.url)]);
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  await gateway.rpc.call('evm_setAutomine', [true]);
});
afterEach(async () => {
  await proxy.close();
  await Promise.all([other.stop(), gateway.close()]);
});

const watch = (report = (): void => {}) =>
  keep(gateway.startWatcher({ urls: [proxy.url], watch: { halted: 200 }, report }));
const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const halts = () => gateway.knex('alerts').where({ kind: 'network_halted' });
const isHalted = async (): Promise<boolean> => (await cursor()).status === 'halted';

it("goes on when the right chain is back, without a stranger's transaction", async () => {
  let troubles = 0;
  watch(() => (troubles += 1));
  keep(gateway.startLane());
  // Everything works on such a chain.
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  // An endpoint that was out of reach is asked again for its chain.
  proxy.mode = 'refuse';
  await eventually(() => troubles > 0);
  proxy.target = other.url;
  proxy.mode = 'pass';
  await eventually(isHalted);
  await eventually(async () => (await halts()).length === 1);
  const waiting = await gateway.pay(1);
  proxy.target = gateway.chain.url;
  expect(await allAre(gateway, waiting, 'awaiting_payment', 20_000)).toBe(true);
  expect((await cursor()).status).toBe('active');
});

it('goes on only when looks in a row show the right chain, so that its alert does not flap', async () => {
  watch();
  await gateway.rpc.call('anvil_mine', ['0x1']);
  await eventually(async () => Number((await cursor())?.number) > 0);
  proxy.target = other.url;
  await eventually(isHalted);
  const before = proxy.exchanges.length;
  // It serves the chains in turn, each for two requests. A look makes at least one.
  proxy.refuseStatus = () => {
    proxy.target = (proxy.exchanges.length - before) % 4 < 2 ? gateway.chain.url : other.url;
    return undefined;
  };
  for (let turns = 1; turns <= 10; turns += 1) {
    await eventually(() => proxy.exchanges.length > before + 2 * turns);
    await closeWhatIsOver(gateway.knex);
    expect(await isHalted()).toBe(true);
  }
  expect(await halts()).toHaveLength(1);
});

it('stays halted through restarts on a wrong chain, and then creates each deal once', async () => {
  let [watcher, lane] = [watch(), keep(gateway.startLane({ urls: [proxy.url] }))];
  expect(await allAre(gateway, await gateway.pay(1), 'awaiting_payment')).toBe(true);
  await gateway.rpc.call('evm_setAutomine', [false]);
  // In flight while the network is halted.
  const flying = await gateway.pay(2);
  await eventually(() => gateway.knex('tx_slots').where({ state: 'signed' }).first());
  proxy.target = other.url;
  await eventually(isHalted);
  for (let times = 0; times < 3; times += 1) {
    await Promise.all([watcher.stop(), lane.stop()]);
    [watcher, lane] = [watch(), keep(gateway.startLane({ urls: [proxy.url] }))];
    const seen = proxy.exchanges.length;
    await eventually(() => proxy.exchanges.length > seen + 6);
    expect(await isHalted()).toBe(true);
  }
  const waiting = await gateway.pay(2);
  await gateway.rpc.call('evm_setAutomine', [true]);
  await Promise.all([watcher.stop(), lane.stop()]);
  proxy.target = gateway.chain.url;
  watch();
  keep(gateway.startLane({ urls: [proxy.url] }));
  expect(await allAre(gateway, [...flying, ...waiting], 'awaiting_payment', 30_000)).toBe(true);
  expect(await timesCreated(gateway, [...flying, ...waiting])).toEqual([1, 1, 1, 1]);
  expect((await cursor()).status).toBe('active');
});

it('says that it goes on, also when another run has seen the halt', async () => {
  const first = watch();
  await gateway.rpc.call('anvil_mine', ['0x1']);
  await eventually(async () => Number((await cursor())?.number) > 0);
  proxy.target = other.url;
  await eventually(isHalted);
  await first.stop();
  proxy.target = gateway.chain.url;
  const said: string[] = [];
  const log: Log = { ...quiet, error: (text) => void said.push(text), info: (text) => void said.push(text) };
  keep(gateway.startWatcher({ urls: [proxy.url], watch: { halted: 200 }, log }));
  await eventually(async () => !(await isHalted()) && said.length > 0);
  expect(said).toEqual(['Watcher goes on']);
});

it('is no longer unreachable once its endpoint responds, with another chain', async () => {
  keep(gateway.startWatcher({ urls: [proxy.url], watch: { halted: 200, unreachable: 300 } }));
  await gateway.rpc.call('anvil_mine', ['0x1']);
  await eventually(async () => Number((await cursor())?.number) > 0);
  proxy.mode = 'refuse';
  const unreachable = () => gateway.knex('alerts').where({ kind: 'network_unreachable', closed_at: null });
  await eventually(async () => (await unreachable()).length > 0);
  proxy.target = other.url;
  proxy.mode = 'pass';
  await eventually(isHalted);
  await eventually(async () => (await unreachable()).length === 0);
  expect(await halts()).toHaveLength(1);
});

it('is not halted by its only endpoint, which starts over and is only behind', async () => {
  await gateway.rpc.call('anvil_mine', ['0x9']);
  watch();
  await gateway.rpc.call('anvil_mine', ['0x1']);
  await eventually(async () => Number((await cursor())?.number) > 9);
  proxy.rewrite = (request) => {
    if (request.method !== 'eth_getBlockByNumber') return request;
    const [asked] = request.params as [string];
    if (asked === 'latest') return { ...request, params: ['0x3', false] };
    return Number(asked) > 3 ? { result: null } : request;
  };
  const seen = proxy.exchanges.length;
  await eventually(() => proxy.exchanges.length > seen + 12);
  expect(await halts()).toEqual([]);
  proxy.rewrite = null;
  await gateway.rpc.call('anvil_mine', ['0x1']);
  await eventually(async () => Number((await cursor()).number) > 10);
});
