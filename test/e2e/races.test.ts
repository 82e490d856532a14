import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Payment, PaymentRequest } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { CaratError } from '../../client/carat-error.ts';
import { cases } from '../support/cases.ts';
import { setWindow } from '../../db/offers/record.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * Merchants cancel while buyers pay, and buyers pay while time runs out, all over the API and by transactions of the
 * buyer's own. Every payment ends as on the chain. `npm run races` has more of them.
 */

const cancelRaces = cases('RACES', { few: 12, all: 50 });
/** Of the shorter kind, a fifth. */
const expiryRaces = Math.ceil(cancelRaces / 5);

let product: Product;
let shop: Shop;
let provider: ethers.JsonRpcProvider;
let buyer: ethers.Wallet;
let nextNonce = 0;

beforeAll(async () => {
  product = await createProduct();
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  const { rpc, eip155 } = product.dev.networks.alpha!;
  provider = new ethers.JsonRpcProvider(rpc, eip155, { staticNetwork: true, cacheTimeout: -1 });
  buyer = new ethers.Wallet(product.dev.buyer.private_key);
  nextNonce = await provider.getTransactionCount(buyer.address);
});

afterAll(async () => {
  provider?.destroy();
  shop?.close();
  await product?.stop();
});

/** Some at a time, as one merchant's server would. */
const each = async <Value, Result>(values: readonly Value[], work: (value: Value) => Promise<Result>) => {
  const results: Result[] = [];
  const left = [...values.entries()];
  const run = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: 16 }, run));
  return results;
};

const create = (count: number, more: Partial<PaymentRequest> = {}): Promise<Payment[]> => {
  const request = shop.request('alpha', more);
  return each(Array.from({ length: count }), () =>
    shop.merchant.createPayment({ ...request, external_id: randomUUID() }),
  );
};

const idsOf = (payments: readonly Payment[]): string[] => payments.map(({ id }) => id);

const areAll = (payments: readonly Payment[], statuses: readonly string[], ms = 45_000): Promise<true> =>
  eventually(
    async () => {
      const rows = await product
        .knex('payments')
        .whereIn('id', idsOf(payments))
        .whereNotIn('status', statuses)
        .select('status', 'status_detail');
      if (rows.length > 0) throw new Error(`${rows.length} are ${rows[0].status} (${rows[0].status_detail})`);
      return true;
    },
    ms,
    100,
  );

/** The transaction of a buyer's wallet, without a simulation. */
const payBlindly = async (payment: Payment): Promise<() => Promise<void>> => {
  const { contract, diamond_address: to } = await shop.merchant.widget(payment);
  const call = new ethers.Interface(contract.abi as unknown as ethers.InterfaceAbi);
  const data = call.encodeFunctionData(contract.function_name, contract.arguments);
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
  const { chainId } = await provider.getNetwork();
  return async () => {
    const nonce = nextNonce++;
    const transaction = { type: 2, chainId, nonce, to, data, value: contract.value, gasLimit: 200_000n, ...fees };
    await provider.send('eth_sendRawTransaction', [await buyer.signTransaction(transaction)]);
  };
};

/** Ids of the deals that the chain shows as paid or cancelled. */
const eventsOf = async (event: 'DealPaid' | 'DealCancelled'): Promise<Set<string>> => {
  const { topicHash } = contracts.deal.interface.getEvent(event)!;
  const logs = await provider.getLogs({ fromBlock: 0, topics: [topicHash] });
  return new Set(logs.map(({ topics }) => BigInt(topics[1]!).toString()));
};

interface Ended {
  readonly id: string;
  readonly status: string;
  readonly deal_id: string;
}

const endsOf = (payments: readonly Payment[]): Promise<Ended[]> =>
  product.knex('payments').whereIn('id', idsOf(payments)).orderBy('id').select('id', 'status', 'deal_id');

const count = (ends: readonly Ended[], status: string): number => ends.filter((end) => end.status === status).length;

/**
 * Some pay beside their cancel, some as soon as it is accepted, the others while it goes through workflow and lane. The last one pays
 * too late on every machine.
 */
const race = async (payments: readonly Payment[], onChain: (index: number) => boolean | undefined, longest: number) => {
  const pays = await each(payments, payBlindly);
  const refused = new Set<string>();
  const cancel = ({ id }: Payment, index: number): Promise<void> =>
    shop.merchant.cancel(id, onChain(index)).catch((error: unknown) => {
      if (!(error instanceof CaratError) || error.code !== 'payment_not_cancelable') throw error;
      refused.add(id);
    });
  await Promise.all(
    payments.map(async (payment, index) => {
      await delay(index * 8);
      const canceled = cancel(payment, index);
      if (index % 4 > 0) await canceled;
      if (index % 4 > 1) await delay(Math.random() * longest);
      if (index === payments.length - 1) await areAll([payment], ['canceled']);
      await Promise.all([pays[index]!(), canceled]);
    }),
  );
  await areAll(payments, ['completed', 'canceled']);
  const [ends, paid] = [await endsOf(payments), await eventsOf('DealPaid')];
  expect(ends.map(({ id, status }) => [id, status])).toEqual(
    ends.map(({ id, deal_id }) => [id, paid.has(deal_id) ? 'completed' : 'canceled']),
  );
  // Both sides win some, and a cancel that was refused lost.
  expect(count(ends, 'completed')).toBeGreaterThan(refused.size);
  expect(count(ends, 'canceled')).toBeGreaterThan(0);
  for (const { id, status } of ends) if (refused.has(id)) expect([id, status]).toEqual([id, 'completed']);
  await expectExactlyOnce(product);
  return { ends, paid, cancelled: await eventsOf('DealCancelled') };
};

it(`${cancelRaces} cancels against payments: each ends as on the chain`, async () => {
  const payments = await create(cancelRaces);
  await areAll(payments, ['awaiting_payment']);
  const { ends, paid, cancelled } = await race(payments, () => undefined, 5_000);
  expect(ends.filter(({ deal_id }) => paid.has(deal_id) === cancelled.has(deal_id))).toEqual([]);
});

it(`${cancelRaces} cancels of offers against payments: each ends as on the chain, half of them without a transaction`, async () => {
  const { id: networkId } = product.dev.networks.alpha!;
  await shop.merchant.offerDeals(shop.wallet.id, networkId);
  await setWindow(product.knex, 6);
  const payments = await create(cancelRaces);
  await areAll(payments, ['awaiting_payment']);
  const { ends, paid, cancelled } = await race(payments, (index) => index % 2 === 1, 6_000);
  const both = ends.filter(({ deal_id }) => paid.has(deal_id) && cancelled.has(deal_id));
  expect(both).toEqual([]);
  const silent = new Set(payments.filter((_, index) => index % 2 === 0).map(({ id }) => id));
  expect(ends.filter(({ id, deal_id }) => silent.has(id) && cancelled.has(deal_id))).toEqual([]);
  await product.knex('wallets').update({ deal_modes: '{}' });
});

it(`${expiryRaces} payments against their expiry: a payment in the last block before it counts`, async () => {
  // Whole seconds, as the chain counts; its clock is put forward when all can be paid.
  const expiresAt = Math.ceil(Date.now() / 1_000) + 300;
  const payments = await create(expiryRaces, { expires_at: new Date(expiresAt * 1_000).toISOString() });
  await areAll(payments, ['awaiting_payment']);
  const [early, ...pays] = await each(payments, payBlindly);
  const late = pays.pop();
  const newest = async () => (await provider.getBlock('latest'))!;
  // One pays long before the expiry and one after it, the others around it.
  const { number } = await newest();
  await early!();
  await eventually(async () => (await newest()).number > number + 1);
  await provider.send('evm_increaseTime', [expiresAt - (await newest()).timestamp - 2]);
  await Promise.all(pays.map((pay) => delay(Math.random() * 3_000).then(pay)));
  await eventually(async () => (await newest()).timestamp >= expiresAt);
  await late!();
  await areAll(payments, ['completed', 'expired']);
  const [ends, paid] = [await endsOf(payments), await eventsOf('DealPaid')];
  expect(ends.map(({ id, status }) => [id, status])).toEqual(
    ends.map(({ id, deal_id }) => [id, paid.has(deal_id) ? 'completed' : 'expired']),
  );
  expect([count(ends, 'completed'), count(ends, 'expired')].every((side) => side > 0)).toBe(true);
  const logs = await provider.getLogs({
    fromBlock: 0,
    topics: [contracts.deal.interface.getEvent('DealPaid')!.topicHash],
  });
  const own = new Set(ends.map(({ deal_id }) => deal_id));
  const blocks = logs.filter(({ topics }) => own.has(BigInt(topics[1]!).toString())).map((log) => log.blockNumber);
  const last = (await provider.getBlock(Math.max(...blocks)))!;
  expect(last.timestamp).toBeLessThan(expiresAt);
  await expectExactlyOnce(product);
});
