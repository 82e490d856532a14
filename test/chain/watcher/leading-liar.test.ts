import { mock } from 'node:test';
import { createChainClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestPayment } from '../support/gateway.ts';
import { allAre, stopAfterEach } from '../support/running.ts';
import { forgedHash, useStillChain } from '../support/still-chain.ts';

/* The leading endpoint of three lies about blocks, with a quorum of two. The network goes on, without an alert. */

const own = useStillChain();
const { tip, isAtTip } = own;
const keep = stopAfterEach();
afterEach(() => mock.restoreAll());
const alerts = () => own.gateway.knex('alerts').select('kind', 'message');
const watch = () =>
  keep(
    own.gateway.startWatcher({
      urls: own.proxies.map(({ url }) => url),
      network: { quorum: 2, confirmations: 1, blockTimeMs: 2_000 },
    }),
  );
const ready = async (): Promise<TestPayment> => {
  const [payment] = await own.gateway.pay(1);
  await allAre(own.gateway, [payment!], 'awaiting_payment');
  return payment!;
};
const hexOf = (number: number): string => `0x${number.toString(16)}`;
const finish = async (payment: TestPayment): Promise<void> => {
  await allAre(own.gateway, [payment], 'completed');
  expect(await alerts()).toEqual([]);
};

it('the leading one stands still, and tells the truth where endpoints are compared', async () => {
  const letPass = createChainClock();
  keep(own.gateway.startLane());
  watch();
  const payment = await ready();
  await eventually(isAtTip);
  const still = await tip();
  const [liar] = own.proxies;
  liar!.rewrite = (request) => {
    const [asked] = request.params as [string];
    const isCompared = liar!.exchanges.at(-1)!.length === 1;
    if (isCompared || request.method !== 'eth_getBlockByNumber') return request;
    if (asked === 'latest') return { ...request, params: [hexOf(still), false] };
    return Number(asked) > still ? { result: null } : request;
  };
  await own.gateway.buy(payment);
  await own.gateway.rpc.call('evm_setIntervalMining', [1]);
  await eventually(async () => (await tip()) > still + 1);
  letPass(11_000);
  await finish(payment);
});

/** Lets the leading endpoint tell of one more block, which has no logs, and waits until the watcher has stored it. */
const inventNext = async (): Promise<number> => {
  const height = (await tip()) + 1;
  const newest = (await own.gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
  const invented = {
    ...newest,
    transactions: [],
    number: hexOf(height),
    hash: forgedHash(height),
    parentHash: newest.hash,
    timestamp: hexOf(Number(newest.timestamp) + 1),
  };
  const [liar] = own.proxies;
  liar!.rewrite = (request) => {
    const [asked] = request.params as [string];
    if (request.method === 'eth_blockNumber') return { result: hexOf(height) };
    if (request.method === 'eth_getBlockByNumber') {
      if (asked === 'latest' || Number(asked) === height) return { result: invented };
      return Number(asked) > height ? { result: null } : request;
    }
    return JSON.stringify(asked).includes('ab'.repeat(28)) && /getLogs|getBlockReceipts/.test(request.method)
      ? { result: [] }
      : request;
  };
  await eventually(async () => Number((await own.cursor())?.number) === height);
  return height;
};

it.each([
  ['the next block of a chain that makes blocks only for transactions', 0],
  ['a block, and another one follows: no alert of a deep reorganisation', 1],
])('the leading one invents %s', async (_what, following) => {
  keep(own.gateway.startLane());
  watch();
  const payment = await ready();
  await eventually(isAtTip);
  const height = await inventNext();
  await own.gateway.buy(payment);
  await eventually(async () => (await tip()) === height);
  if (following > 0) await own.gateway.rpc.call('anvil_mine', [hexOf(following)]);
  await finish(payment);
});
