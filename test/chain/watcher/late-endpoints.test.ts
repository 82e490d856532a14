import type { WatchTiming } from '../../../chain/watcher/context.ts';
import { eventually } from '../../support/eventually.ts';
import type { RunOptions, TestPayment } from '../support/gateway.ts';
import type { Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';
import { forgedHash, useStillChain } from '../support/still-chain.ts';

/* Chains that make blocks only for transactions, and endpoints that are late, or of two opinions. */

const own = useStillChain();
const { cursor, tip, mine, isAtTip } = own;
let troubles: string[];
const keep = stopAfterEach();

beforeEach(async () => {
  troubles = [];
});
const alerts = () => own.gateway.knex('alerts').pluck('kind');

const watch = (count: number, quorum: number, timing: Partial<WatchTiming> = {}, more: RunOptions = {}) =>
  keep(
    own.gateway.startWatcher({
      urls: own.proxies.slice(0, count).map(({ url }) => url),
      watch: { unreachable: 3_000, unreadable: 3_000, ...timing },
      network: { quorum, confirmations: 1, blockTimeMs: 2_000 },
      report: ({ endpoint, reason }) => troubles.push(`${endpoint}: ${reason}`),
      ...more,
    }),
  );

const ready = async (): Promise<TestPayment> => {
  const [payment] = await own.gateway.pay(1);
  await allAre(own.gateway, [payment!], 'awaiting_payment');
  return payment!;
};

const hexOf = (number: number): string => `0x${number.toString(16)}`;

/** The endpoint's newest block stays this one. */
const standStill = (proxy: Proxy, still: number): void => {
  proxy.rewrite = (request) => {
    const [asked] = request.params as [string];
    if (request.method === 'eth_blockNumber') return { result: hexOf(still) };
    if (request.method !== 'eth_getBlockByNumber') return request;
    if (asked === 'latest') return { ...request, params: [hexOf(still), false] };
    return Number(asked) > still ? { result: null } : request;
  };
};

/** The endpoint has other blocks from this one on. */
const fork = (proxy: Proxy, first: number): void => {
  proxy.tamper = ({ method }, result) => {
    if (method !== 'eth_getBlockByNumber' || result === null) return result;
    const block = result as { number: string; parentHash: string };
    const number = Number(block.number);
    if (number < first) return result;
    return {
      ...block,
      hash: forgedHash(number),
      parentHash: number === first ? block.parentHash : forgedHash(number - 1),
    };
  };
};

it.each(['one block late', 'on an orphaned block, whose height the others have passed'])(
  'a payment is seen although the leading one of three endpoints is %s for good',
  async (how) => {
    keep(own.gateway.startLane());
    watch(3, 2);
    const payment = await ready();
    await eventually(isAtTip);
    const still = await tip();
    if (how.startsWith('one')) standStill(own.proxies[0]!, still);
    else {
      await mine();
      await eventually(isAtTip);
      standStill(own.proxies[0]!, still);
      fork(own.proxies[0]!, still);
    }
    await own.gateway.buy(payment);
    await eventually(async () => (await tip()) === still + (how.startsWith('one') ? 1 : 2));
    const said = await allAre(own.gateway, [payment], 'completed', 40_000).catch((error: Error) => error.message);
    expect({ said, alerts: await alerts(), troubles }).toMatchObject({ said: true });
  },
);

it('a payment is seen by a new run although the second of two endpoints is one block late, with a quorum of one', async () => {
  keep(own.gateway.startLane());
  const first = watch(2, 1);
  const payment = await ready();
  await eventually(isAtTip);
  await first.stop();
  standStill(own.proxies[1]!, await tip());
  watch(2, 1);
  await own.gateway.buy(payment);
  const said = await allAre(own.gateway, [payment], 'completed', 40_000).catch((error: Error) => error.message);
  expect({ said, alerts: await alerts(), troubles }).toMatchObject({ said: true });
});

it.each([2, 3])('says that the quorum of two is split, with %d endpoints, of which two respond', async (count) => {
  const network = { quorum: 2, confirmations: 3, blockTimeMs: 2_000 };
  await own.gateway.rpc.call('evm_setIntervalMining', [1]);
  keep(own.gateway.startLane());
  const first = watch(count, 2, {}, { network });
  const payment = await ready();
  await eventually(async () => (await own.gateway.knex('tx_slots').whereNot({ state: 'confirmed' })).length === 0);
  await own.gateway.rpc.call('evm_setIntervalMining', [0]);
  await own.gateway.rpc.call('evm_setAutomine', [true]);
  await mine();
  await eventually(isAtTip);
  await first.stop();
  if (count === 3) own.proxies[2]!.mode = 'refuse';
  // The leading one has lost its newest block, and is on a dead fork from now on.
  fork(own.proxies[0]!, await tip());
  watch(count, 2, {}, { network });
  await own.gateway.buy(payment);
  await own.gateway.rpc.call('anvil_mine', ['0x4']);
  const said = await eventually(
    async () => (await alerts()).length > 0 || troubles.some((line) => !line.startsWith('2: ')) || null,
    40_000,
  ).catch((error: Error) => error.message);
  const statuses = await own.gateway.statuses([payment]);
  expect({ said, statuses, at: Number((await cursor())?.number), tip: await tip(), troubles }).toMatchObject({
    said: true,
  });
});

it('asks an endpoint that is well again, where two others contradict each other', async () => {
  keep(own.gateway.startLane());
  watch(3, 2);
  const payment = await ready();
  await eventually(isAtTip);
  // All are away for a moment, and a balancer shows its page in place of the third one.
  own.proxies[2]!.mode = 'page';
  for (const proxy of own.proxies.slice(0, 2)) proxy.mode = 'refuse';
  await eventually(() => troubles.filter((line) => line.startsWith('2: ')).length >= 3);
  for (const proxy of own.proxies) proxy.mode = 'pass';
  await mine();
  await eventually(isAtTip);
  // The two have long been asked again.
  for (const place of [0, 1]) {
    const seen = own.proxies[place]!.exchanges.length;
    await eventually(() => own.proxies[place]!.exchanges.length > seen + 3);
  }
  const asked = own.proxies[2]!.exchanges.length;
  // The first one is on a dead fork from now on.
  fork(own.proxies[0]!, await tip());
  await own.gateway.buy(payment);
  const said = await allAre(own.gateway, [payment], 'completed', 45_000).catch((error: Error) => error.message);
  const more = own.proxies[2]!.exchanges.slice(asked);
  expect({ said, alerts: await alerts(), troubles, more: more.length }).toMatchObject({ said: true });
});
