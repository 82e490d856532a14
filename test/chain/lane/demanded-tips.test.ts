import { Transaction } from 'ethers';
import { refusal } from '../support/data-chains.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireAnswer } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* A pool that takes no tip below 25 gwei, while its endpoint suggests less. */

let gateway: Gateway;
let proxy: Proxy;
const keep = stopAfterEach();
const gwei = 10n ** 9n;
const least = 25n * gwei;
const hex = (amount: bigint): string => `0x${amount.toString(16)}`;

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 2 });
  proxy = await startProxy(gateway.chain.url);
  keep(gateway.startWatcher());
});
afterEach(async () => {
  await proxy.close();
  await gateway.close();
});

const tipsOf = async (payments: readonly TestPayment[]): Promise<bigint[]> => {
  const rows = await gateway
    .knex('tx_attempts as a')
    .join('tx_intents as i', 'i.slot_id', 'a.slot_id')
    .whereIn(
      'i.payment_id',
      payments.map(({ id }) => id),
    )
    .orderBy('a.seq')
    .pluck('a.max_priority_fee_per_gas');
  return rows.map(BigInt);
};

const one: WireAnswer = { result: hex(gwei) };
const none: WireAnswer = { error: { code: -32_601, message: 'the method does not exist/is not available' } };

it.each<[string, WireAnswer, (tip: bigint) => string, number]>([
  ['in wei', one, (tip) => `transaction gas price below minimum: gas tip cap ${tip}, minimum needed ${least}`, 2],
  ['in gwei', one, () => 'tip is too low, at least 25 gwei are required', 2],
  ['in hex', one, () => `priority fee below minimum ${hex(least)}`, 2],
  ['where no tip is suggested', none, () => `gas tip cap is below the minimum: minimum needed ${least}`, 2],
  ['not at all', one, () => 'transaction underpriced', 5],
])('the tip rises to the demanded one, which is named %s, and later transactions begin with it', async (...row) => {
  const [, suggestion, words, most] = row;
  proxy.rewrite = (request) => {
    if (request.method === 'eth_maxPriorityFeePerGas') return suggestion;
    if (request.method === 'eth_gasPrice') return { result: hex(2n * gwei) };
    if (request.method !== 'eth_sendRawTransaction') return request;
    const tip = Transaction.from(request.params[0] as string).maxPriorityFeePerGas!;
    return tip >= least ? request : refusal(words(tip));
  };
  keep(gateway.startLane({ urls: [proxy.url], network: { maxFeePerGas: 500n * gwei } }));
  const payments = await gateway.pay(1);
  await allAre(gateway, payments, 'awaiting_payment');
  const tips = await tipsOf(payments);
  expect(tips.length).toBeLessThanOrEqual(most);
  if (most === 2) expect(tips.at(-1)).toBe(least);
  const later = await gateway.pay(1);
  await allAre(gateway, later, 'awaiting_payment');
  expect(await tipsOf(later)).toEqual([tips.at(-1)]);
});

it('a demand above the ceiling raises no fee above it, and an alert tells', async () => {
  const ceiling = 10n * gwei;
  proxy.rewrite = (request) =>
    request.method === 'eth_sendRawTransaction' ? refusal(`tip too low, minimum needed ${10n ** 30n}`) : request;
  keep(gateway.startLane({ urls: [proxy.url], network: { maxFeePerGas: ceiling } }));
  const payments = await gateway.pay(1);
  await gateway.knex('alerts').delete();
  for (;;) {
    const kinds = await gateway.knex('alerts').pluck('kind');
    if (kinds.includes('fees_above_ceiling')) break;
  }
  const fees = (await gateway.knex('tx_attempts').pluck('max_fee_per_gas')).map(BigInt);
  expect(fees.filter((fee) => fee > ceiling)).toEqual([]);
  expect((await tipsOf(payments)).length).toBeLessThanOrEqual(3);
});

it.each([10n, 25n, 30n, 100n])(
  'a pool that demands %d percent more of a replacement gets it within five attempts',
  async (percent) => {
    let pooled: bigint | null = null;
    let isHeld = true;
    proxy.rewrite = (request) => {
      if (request.method !== 'eth_sendRawTransaction') return request;
      const { maxFeePerGas: fee, hash } = Transaction.from(request.params[0] as string);
      if (pooled === null || fee === pooled) {
        pooled = fee;
        return isHeld ? { result: hash } : request;
      }
      if (fee! * 100n < pooled * (100n + percent)) return refusal('replacement transaction underpriced');
      isHeld = false;
      return request;
    };
    proxy.tamper = ({ method, params }, result) =>
      method === 'eth_getTransactionCount' && params[1] === 'pending' && pooled !== null && isHeld
        ? hex(BigInt(result as string) + 1n)
        : result;
    keep(gateway.startLane({ urls: [proxy.url], timing: { bump: 1_000 }, network: { maxFeePerGas: 500n * gwei } }));
    const payments = await gateway.pay(1);
    await allAre(gateway, payments, 'awaiting_payment');
    expect((await tipsOf(payments)).length).toBeLessThanOrEqual(5);
  },
);
