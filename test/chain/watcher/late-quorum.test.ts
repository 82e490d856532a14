import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startLateEndpoints, type LateEndpoints } from '../support/late.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* Honest endpoints that have each block a moment after the leading one, with the timing of production. */

let gateway: Gateway;
let endpoints: LateEndpoints;
let troubles: string[];
const keep = stopAfterEach();

const start = async (
  lags: readonly number[],
  { blockTime, confirmations }: { readonly blockTime: number; readonly confirmations: number },
): Promise<void> => {
  gateway = await startGateway({ confirmations, blockTime });
  endpoints = await startLateEndpoints(gateway, lags);
  troubles = [];
  // The lane asks the chain itself.
  keep(gateway.startLane());
  keep(
    gateway.startWatcher({
      urls: endpoints.proxies.map(({ url }) => url),
      network: { quorum: 2, blockTimeMs: blockTime * 1_000 },
      watch: {},
      report: ({ endpoint, reason }) => troubles.push(`${endpoint}: ${reason}`),
    }),
  );
};

afterEach(async () => {
  await endpoints.close();
  await gateway.close();
});

const alerts = () => gateway.knex('alerts').pluck('kind');

it.each([
  { who: 'the leading one of three', blockTime: 0.2, confirmations: 3, lags: [1_000, 0, 0] },
  { who: 'the second of two', blockTime: 1, confirmations: 1, lags: [0, 500] },
  { who: 'all but the leading one', blockTime: 0.5, confirmations: 3, lags: [0, 1_200, 1_300] },
  { who: 'the second one', blockTime: 0.2, confirmations: 3, lags: [0, 1_000, 0], isThirdDown: true },
])(
  'a payment is completed, and nobody is accused, although $who is late: blocks of $blockTime s, lags $lags',
  async ({ lags, isThirdDown = false, ...chain }) => {
    await start(lags, chain);
    if (isThirdDown) endpoints.proxies[2]!.mode = 'refuse';
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment', 30_000);
    await gateway.buy(payment!);
    await allAre(gateway, [payment!], 'completed', 30_000);
    expect(await alerts()).toEqual([]);
    expect(troubles.filter((trouble) => !trouble.startsWith('2: '))).toEqual([]);
  },
);

it('a payment gets the date of its block although the leading one of three dates blocks to another day, and the others are late', async () => {
  await start([0, 600, 600], { blockTime: 1, confirmations: 4 });
  const [payment] = await gateway.pay(1);
  await allAre(gateway, [payment!], 'awaiting_payment', 30_000);
  const from = Number(await gateway.rpc.call('eth_blockNumber'));
  endpoints.proxies[0]!.tamper = ({ method }, result) => {
    const block = result as { number: string; timestamp: string } | null;
    if (method !== 'eth_getBlockByNumber' || block === null || Number(block.number) <= from) return block;
    return { ...block, timestamp: `0x${(Number(block.timestamp) - 40 * 86_400).toString(16)}` };
  };
  const hash = await gateway.buy(payment!);
  await allAre(gateway, [payment!], 'completed', 30_000);
  const { paid_at: date, paid_tx_hash: found } = await gateway.knex('payments').where({ id: payment!.id }).first();
  const { blockNumber } = (await gateway.rpc.call('eth_getTransactionReceipt', [hash])) as { blockNumber: string };
  const block = (await gateway.rpc.call('eth_getBlockByNumber', [blockNumber, false])) as { timestamp: string };
  expect({ found, date: Number(date) / 1_000 }).toEqual({ found: hash, date: Number(block.timestamp) });
});

it('an alert tells that every endpoint is below the blocks that were read before', async () => {
  await start([0, 0], { blockTime: 0.2, confirmations: 12 });
  const [payment] = await gateway.pay(1);
  await allAre(gateway, [payment!], 'awaiting_payment', 30_000);
  const cursor = async () => Number((await gateway.knex('watch_cursors').first()).number);
  endpoints.stopAt((await cursor()) - 8);
  await eventually(async () => (await alerts()).includes('network_unreachable'), 30_000);
  expect(await gateway.knex('alerts').pluck('message')).toEqual([expect.stringContaining('below the blocks')]);
  endpoints.stopAt(Infinity);
  await gateway.buy(payment!);
  await allAre(gateway, [payment!], 'completed', 30_000);
  expect(await gateway.knex('alerts').whereNull('closed_at')).toEqual([]);
});

it('payments proceed once the second endpoint of two is back, without the blocks of before', async () => {
  await start([0, 0], { blockTime: 0.2, confirmations: 3 });
  const [first] = await gateway.pay(1);
  await allAre(gateway, [first!], 'awaiting_payment');
  const second = endpoints.proxies[1]!;
  second.mode = 'refuse';
  const [payment] = await gateway.pay(1);
  const numbers = async () => {
    const [{ number }, { deal_block_number: deal }] = await Promise.all([
      gateway.knex('watch_cursors').first('number'),
      gateway.knex('payments').where({ id: payment!.id }).first('deal_block_number'),
    ]);
    return { read: Number(number), deal: deal === null ? Infinity : Number(deal) };
  };
  const { read: from } = await eventually(async () => {
    const now = await numbers();
    return now.read > now.deal + 18 && now;
  }, 20_000);
  const late = second.tamper!;
  second.tamper = (request, result) => {
    const number = Number(request.params[0]);
    const isOld = request.method === 'eth_getBlockByNumber' && number > 0 && number < from - 2;
    return isOld ? null : late(request, result);
  };
  second.mode = 'pass';
  await allAre(gateway, [payment!], 'awaiting_payment', 30_000);
});
