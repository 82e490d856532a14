import type { Payment, Wallet } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { rpc } from '../../tools/stack/chain.ts';
import type { DealMode } from '../../domain/payment.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { cases } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { isOfTransport, type OpenDeal } from './lies.ts';
import { randomSchedules, seeded, startLying, told } from './schedule.ts';

/*
 * A liar among three endpoints of each network, at a random place and with random lies, while payments are made and
 * paid; one network of each round has three honest ones, for comparison. Whatever the lies, no status is wrong, every
 * payment ends, and none ends much later. LIAR_SCHEDULES and LIAR_SEED choose other schedules (npm run liars), LIAR_LIE
 * those of one lie, such as LIAR_LIE='answers null'.
 */

const wanted = cases('LIAR_SCHEDULES', { few: 12, all: 20 });
const seed = Number(process.env.LIAR_SEED ?? 1);
const blockTime = 0.2;
/** Ten times the promise of two blocks and five seconds, so that only the product makes a payment late, however slow the machine is. */
const allowedDelayMs = 10 * (2 * blockTime * 1_000 + 5_000);
const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
const rounds = Math.ceil(wanted / (names.length - 1));

let product: Product;
let shop: Shop;
let worker: RunningProcess;
/** The wallet whose deals are offered. */
let offering: Wallet;
const endpoints: Record<string, Proxy[]> = {};
/** Unpaid payments of each network. */
const unpaid: Payment[] = [];
const nextSchedule = randomSchedules(seed, process.env.LIAR_LIE);
/** Random numbers of lies, drawn in an order that the network decides. */
const random = seeded(seed);

beforeAll(async () => {
  product = await createProduct({
    networks: names.map((name, index) => ({ name, eip155: 31_337 + index, blockTime, confirmations: 3, finality: 64 })),
  });
  for (const name of names) {
    endpoints[name] = await Promise.all([1, 2, 3].map(() => startProxy(product.dev.networks[name]!.rpc)));
    const rpc_urls = endpoints[name].map(({ url }) => url);
    await product.knex('networks').where({ name }).update({ rpc_urls, quorum: 2 });
  }
  [, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  offering = await shop.merchant.createWallet('Offering');
  await Promise.all(
    names.map(async (name) => {
      const { id } = product.dev.networks[name]!;
      await shop.deployed(name);
      await eventually(async () => (await shop.merchant.deploy(offering.id, id)).status === 'completed', 45_000, 250);
      await shop.merchant.offerDeals(offering.id, id);
    }),
  );
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await Promise.all(Object.values(endpoints).flatMap((all) => all.map((endpoint) => endpoint.close())));
});

const dealOf = async ({ id }: Payment): Promise<OpenDeal> => {
  const row = await product.knex('payments').where({ id }).first();
  return {
    diamond: row.diamond_address,
    dealId: BigInt(row.deal_id),
    termsHash: row.terms_hash,
    token: `0x${'0'.repeat(40)}`,
    payee: row.payment_address,
    amount: BigInt(row.paid_price_units),
  };
};

/** The word of a deal as the chain itself says it. */
const wordOf = async (network: string, { diamond, dealId }: OpenDeal): Promise<string> => {
  const data = contracts.deal.interface.encodeFunctionData('dealWords', [[dealId]]);
  const answer = await rpc(product.dev.networks[network]!.rpc, 'eth_call', [{ to: diamond, data }, 'latest']);
  return contracts.deal.interface.decodeFunctionResult('dealWords', answer as string)[0][0] as string;
};

/** Milliseconds from a request to its visible result. */
const timed = async (wait: Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await wait;
  return performance.now() - start;
};

interface Legs {
  readonly created: number[];
  readonly paid: number[];
}

/** Two payments that are paid one after the other, one of a created and one of an offered deal, and an unpaid one. */
const trade = async (network: string, deals: OpenDeal[]): Promise<Legs> => {
  const legs: Legs = { created: [], paid: [] };
  const create = async (mode: DealMode): Promise<Payment> => {
    const payment = await shop.create(network, mode === 'offered' ? { wallet_id: offering.id } : {});
    const deal = await dealOf(payment);
    deals.push(deal);
    const isReady = timed(shop.reached(payment, 'awaiting_payment'));
    if (mode === 'created') legs.created.push(await isReady);
    await isReady;
    expect([mode, (await wordOf(network, deal)) === `0x${'0'.repeat(64)}`]).toEqual([mode, mode === 'offered']);
    return payment;
  };
  const pay = async (payment: Payment): Promise<void> => {
    const hash = await shop.buyers[network]!.pay(await shop.merchant.widget(payment));
    legs.paid.push(await timed(shop.reached(payment, 'completed')));
    const { transaction_hash: shown } = await shop.merchant.payment(payment.id);
    expect([hash, null]).toContain(shown);
  };
  const [first, ...left] = await Promise.all([create('created'), create('created'), create('offered')]);
  unpaid.push(...left);
  const [, second] = await Promise.all([pay(first), create('offered')]);
  await pay(second);
  return legs;
};

/** Words of demotions for something false, and for another chain. */
const forLies = /contradicts|other logs|belongs to another|instead of|differs from|another block than/;

/** Checks that no endpoint of a network was called a liar that had faults of transport alone, or none. */
const expectNoneWronged = async (network: string, liar: number | null): Promise<void> => {
  const { id } = product.dev.networks[network]!;
  const alerts = await product
    .knex('alerts')
    .where({ kind: 'endpoint_at_rest', subject_id: id })
    .select<{ data: { endpoint: number; reason: string } }[]>('data');
  const wronged = alerts.filter(({ data }) => data.endpoint - 1 !== liar && forLies.test(data.reason));
  expect(wronged.map(({ data }) => [network, data.endpoint, data.reason])).toEqual([]);
};

/** Checks the statuses of an unpaid payment. */
const expectNothingFalse = async (payment: Payment): Promise<void> => {
  const statuses = await product.knex('payment_logs').where({ payment_id: payment.id }).pluck('status');
  for (const status of ['completed', 'failed', 'canceled']) expect(statuses).not.toContain(status);
};

it.each(Array.from({ length: rounds }, (_, round) => round))(`round %i of seed ${seed}`, async (round) => {
  // One that remembers no liar of the round before.
  await worker.stop();
  worker = await product.startWorker();
  await product.knex('alerts').where({ kind: 'endpoint_at_rest' }).delete();
  const honest = names[round % names.length]!;
  const liars = names.filter((name) => name !== honest);
  const schedules = liars.map(nextSchedule);
  const story = liars.map((name, index) => `${name}: ${told(schedules[index]!)}`).join('\n');
  const deals: Record<string, OpenDeal[]> = Object.fromEntries(names.map((name) => [name, []]));
  const stops = await Promise.all(
    liars.map((name, index) => {
      const { position } = schedules[index]!;
      const about = { deals: () => deals[name]!, random };
      return startLying(endpoints[name]![position]!, product.dev.networks[name]!.rpc, schedules[index]!, about);
    }),
  );
  const trades = await Promise.allSettled(names.map((name) => trade(name, deals[name]!)));
  await Promise.all(stops.map((stop) => stop()));
  const failed = trades.flatMap((one, index) =>
    one.status === 'rejected' ? [`${names[index]}: ${String(one.reason)}`] : [],
  );
  expect(failed.length === 0 ? [] : [...failed, story]).toEqual([]);
  const legs = trades.map((one) => (one as PromiseFulfilledResult<Legs>).value);
  const usual = legs[names.indexOf(honest)]!;
  for (const leg of ['created', 'paid'] as const) {
    const late = legs.map((own) => Math.round(Math.max(...own[leg]) - Math.max(...usual[leg])));
    const isLate = Math.max(...late) > allowedDelayMs;
    expect(isLate ? [leg, late, story] : []).toEqual([]);
  }
  await Promise.all(unpaid.slice(-2 * names.length).map(expectNothingFalse));
  for (const name of names) {
    const schedule = schedules[liars.indexOf(name)];
    const isLiar = schedule?.steps.some(({ lie }) => !isOfTransport(lie)) === true;
    await expectNoneWronged(name, isLiar ? schedule.position : null);
  }
});

it('unpaid payments expire while the first endpoint of each network lies', async () => {
  const stops = await Promise.all(
    names.map((name) =>
      startLying(endpoints[name]![0]!, product.dev.networks[name]!.rpc, nextSchedule(), {
        deals: () => [],
        random,
      }),
    ),
  );
  try {
    for (const name of names) await rpc(product.dev.networks[name]!.rpc, 'evm_increaseTime', [7_200]);
    for (const payment of unpaid) await shop.reached(payment, 'expired');
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
  for (const payment of unpaid) await expectNothingFalse(payment);
  await eventually(async () => {
    const open = await product.knex('payments').whereNotIn('status', ['completed', 'expired']);
    return open.length === 0;
  });
  await expectExactlyOnce(product);
});
