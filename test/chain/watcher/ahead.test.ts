import { eventually } from '../../support/eventually.ts';
import { allAre, stopAfterEach } from '../support/running.ts';
import { forgedHash, useStillChain } from '../support/still-chain.ts';

/* One endpoint of three is always one invented block ahead, except where endpoints are compared. The quorum is two. */

const own = useStillChain({ confirmations: 3 });
const { tip, isAtTip } = own;
const keep = stopAfterEach();
const hexOf = (number: number): string => `0x${number.toString(16)}`;

it('the leading one keeps a chain of its own, always one block ahead, and tells the truth where endpoints are compared', async () => {
  keep(own.gateway.startLane());
  keep(
    own.gateway.startWatcher({
      urls: own.proxies.map(({ url }) => url),
      network: { quorum: 2, confirmations: 3, blockTimeMs: 1_000 },
    }),
  );
  await own.gateway.rpc.call('evm_setIntervalMining', [1]);
  const [payment] = await own.gateway.pay(1);
  await allAre(own.gateway, [payment!], 'awaiting_payment');
  await own.gateway.rpc.call('evm_setIntervalMining', [0]);
  await own.gateway.rpc.call('evm_setAutomine', [false]);
  await eventually(isAtTip);
  const base = await tip();
  const newest = (await own.gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
  const invented = (number: number) => ({
    ...newest,
    transactions: [],
    number: hexOf(number),
    hash: forgedHash(number),
    parentHash: number === base + 1 ? newest.hash : forgedHash(number - 1),
    timestamp: hexOf(Number(newest.timestamp) + number - base),
  });
  const [liar] = own.proxies;
  liar!.rewrite = async (request) => {
    const [asked] = request.params as [string];
    const isCompared = liar!.exchanges.at(-1)!.length === 1 && asked === 'latest';
    if (/getLogs|getBlockReceipts/.test(request.method) && JSON.stringify(asked).includes('ab'.repeat(28)))
      return { result: [] };
    const isOne = liar!.exchanges.at(-1)!.length === 1;
    if (request.method !== 'eth_getBlockByNumber' || isCompared || isOne) return request;
    const top = (await tip()) + 1;
    const number = asked === 'latest' ? top : Number(asked);
    if (number <= base) return request;
    return number <= top ? { result: invented(number) } : { result: null };
  };
  await eventually(async () => Number((await own.cursor())?.number) === base + 1);
  await own.gateway.buy(payment!);
  await own.gateway.rpc.call('evm_setIntervalMining', [1]);
  await allAre(own.gateway, [payment!], 'completed');
  expect(await own.gateway.knex('alerts').pluck('message')).toEqual([]);
});
