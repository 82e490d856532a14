import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireAnswer } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* An endpoint answers the receipt of a transaction that is in no block with an error, as geth does while it indexes its transactions. */

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();
const gwei = 10n ** 9n;

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  proxies = await Promise.all([1, 2].map(() => startProxy(gateway.chain.url)));
  await gateway.knex('alerts').delete();
  keep(gateway.startWatcher());
});
afterEach(async () => {
  await gateway.rpc.call('evm_setIntervalMining', [1]);
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

const inProgress: WireAnswer = { error: { code: -32_000, message: 'transaction indexing is in progress' } };
const refuseOpenReceipts = (proxy: Proxy, refusal: WireAnswer = inProgress): void => {
  proxy.rewrite = async (request) => {
    if (request.method !== 'eth_getTransactionReceipt') return request;
    const receipt = await gateway.rpc.call('eth_getTransactionReceipt', [...request.params]);
    return receipt === null ? refusal : request;
  };
};
const slotsOf = async (payments: readonly TestPayment[]): Promise<number> => {
  const ids = payments.map(({ id }) => id);
  return (await gateway.knex('tx_intents').whereIn('payment_id', ids).whereNotNull('slot_id')).length;
};

it.each<[string, number, WireAnswer]>([
  ['an only endpoint in the words of geth', 1, inProgress],
  ['an only endpoint in words of its own', 1, { error: { code: -32_000, message: 'not now' } }],
  ['an only endpoint by a rate limit', 1, { error: { code: -32_005, message: 'limit exceeded' } }],
  ['an only endpoint by nonsense', 1, { result: 'soon' }],
  ['the first of two endpoints in the words of geth', 2, inProgress],
])('receipts that are refused by %s do not hold up queued deals', async (_, count, refusal) => {
  refuseOpenReceipts(proxies[0]!, refusal);
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  keep(gateway.startLane({ urls: proxies.slice(0, count).map(({ url }) => url) }));
  const first = await gateway.pay(3);
  await eventually(async () => (await slotsOf(first)) === 3);
  const rest = await gateway.pay(5);
  await eventually(async () => (await slotsOf(rest)) === 5);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
  await allAre(gateway, [...first, ...rest], 'awaiting_payment');
  expect(await gateway.knex('alerts').pluck('kind')).toEqual([]);
});

it('a transaction below a base fee that has leapt is replaced while its receipt is refused', async () => {
  refuseOpenReceipts(proxies[0]!);
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  keep(gateway.startLane({ urls: [proxies[0]!.url] }));
  const [payment] = await gateway.pay(1);
  const attemptsOf = () =>
    gateway
      .knex('tx_attempts as a')
      .join('tx_intents as i', 'i.slot_id', 'a.slot_id')
      .where('i.payment_id', payment!.id)
      .whereNotNull('a.last_sent_at')
      .pluck('a.seq');
  await eventually(async () => (await attemptsOf()).length === 1);
  await gateway.rpc.call('anvil_setNextBlockBaseFeePerGas', [`0x${(100n * gwei).toString(16)}`]);
  await gateway.rpc.call('anvil_mine', ['0x1']);
  await eventually(async () => (await attemptsOf()).length > 1);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
  await allAre(gateway, [payment!], 'awaiting_payment');
});
