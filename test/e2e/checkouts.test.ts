import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Checkout, Payment, WidgetCheckout, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { CaratError } from '../../client/carat-error.ts';
import { createCaratClient } from '../../client/client.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { createRandom, type Random } from '../api/fuzz/random.ts';
import { cases } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { mineInTurn, type Mining } from '../support/mining.ts';
import { createProduct, fastNetworks, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * Buyers choose at random how to pay their orders, on two networks and in both deal modes, choose again, look at
 * offers, pay any payment that they were ever shown, or leave; merchants cancel; api and worker are killed (SIGKILL)
 * and blocks reorganised meanwhile. At no instant are two payments of an order payable, and each order ends as the
 * chains bear out. `npm run checkouts` has more of them.
 */

const count = cases('CHECKOUT_ORDERS', { few: 6, all: 20 });
const seed = Number(process.env.CHECKOUT_SEED ?? 1);
const BUYERS = 12;
const networks = ['alpha', 'beta'] as const;

let product: Product;
let shop: Shop;
let api: RunningProcess;
let carat: ReturnType<typeof createCaratClient>;
/** Of the networks, in their order. */
const minings: Mining[] = [];
const wallets: string[] = [];

beforeAll(async () => {
  const [alpha] = fastNetworks;
  product = await createProduct({
    networks: [alpha!, { ...alpha!, name: 'beta', eip155: 31_338 }],
    environment: { CARAT_OFFER_WINDOW: '10' },
  });
  [api] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  const { api_key: apiKey, secret } = product.dev.admin;
  const retries = { retries: 480, firstDelayMs: 250, longestDelayMs: 250 };
  carat = createCaratClient({ url: product.dev.api, apiKey, secret, timeoutMs: 10_000, retries });
  const offering = await shop.merchant.createWallet(`Offers ${randomUUID()}`);
  wallets.push(shop.wallet.id, offering.id);
  for (const name of networks) {
    const network = product.dev.networks[name]!;
    await shop.deployed(name);
    await eventually(
      async () => (await shop.merchant.deploy(offering.id, network.id)).status === 'completed',
      45_000,
      250,
    );
    await shop.merchant.offerDeals(offering.id, network.id);
    minings.push(await mineInTurn(network.rpc, alpha!.blockTime));
  }
});

afterAll(async () => {
  await Promise.all(minings.map((mining) => mining.stop()));
  shop?.close();
  await product?.stop();
});

const createOrder = (random: Random): Promise<Checkout> =>
  carat.createCheckout({
    external_id: randomUUID(),
    node_id: product.dev.nodes.merchant!,
    payment_group: 'product',
    payment_address: ethers.Wallet.createRandom().address,
    options: wallets.flatMap((wallet_id) =>
      networks.map((name) => ({
        network_id: product.dev.networks[name]!.id,
        currency_id: product.dev.currencies.ETH!.id,
        wallet_id,
        paid_price: 0.1,
      })),
    ),
    on_chain_cancel: random.chance(0.5),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });

/** Refusals that a client may get; anything else is a fault. */
const orRefused = async <Value>(work: Promise<Value>): Promise<Value | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CaratError && error.status >= 400 && error.status < 500) return null;
    throw error;
  }
};

/** Repeats a choice whose answer a killed api owes, as a page does: the option that is chosen now gives the same payment. */
const choose = async (order: Checkout, option: number): Promise<WidgetCheckout | null> => {
  for (;;) {
    try {
      return await orRefused(carat.chooseOption(order.id, order.access_token, { option }));
    } catch (error) {
      if (!(error instanceof CaratError) || (error.status > 0 && error.status !== 503)) throw error;
      await delay(250);
    }
  }
};

/**
 * Sends the payment from an account of its own, without a simulation and without waiting: the diamond refuses a paid or
 * canceled deal and an expired offer, and a reorganisation may drop the transaction.
 */
const sendPayment = async (name: (typeof networks)[number], data: WidgetPayment): Promise<void> => {
  const payer = ethers.Wallet.createRandom();
  const { rpc: url, eip155: chainId } = product.dev.networks[name]!;
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
  const { data: call, value } = data.contract;
  const to = data.diamond_address;
  const transaction = { type: 2, chainId, nonce: 0, to, data: call, value, gasLimit: 300_000n, ...fees };
  const signed = await payer.signTransaction(transaction);
  // A reorganisation takes the coins back.
  await eventually(async () => {
    await rpc(url, 'anvil_setBalance', [payer.address, ethers.toBeHex(ethers.parseEther('1000'))]);
    return rpc(url, 'eth_sendRawTransaction', [signed]);
  }, 10_000);
};

/** A payment that a buyer was shown, and can pay as long as the chain accepts it. */
interface Shown {
  readonly name: (typeof networks)[number];
  readonly data: WidgetPayment;
}

/** One buyer with one order, and everything that was shown to them. */
const live = async (order: Checkout, random: Random): Promise<void> => {
  const shown: Shown[] = [];
  const look = async ({ payment, option }: WidgetCheckout): Promise<void> => {
    if (payment === null || option === null) return;
    const data = await orRefused(carat.getWidgetPayment(payment.id, payment.access_token));
    if (data?.payable === true) shown.push({ name: networks[option % networks.length]!, data });
  };
  const tryAll = async (): Promise<void> => {
    // At once: the chain decides, and takes one at most.
    await Promise.all(shown.map(({ name, data }) => sendPayment(name, data)));
  };
  for (let acts = 2 + random.below(7); acts > 0; acts -= 1) {
    const act = random.below(10);
    const page = () => carat.getWidgetCheckout(order.id, order.access_token);
    if (act < 5) {
      const option = random.below(order.options.length);
      const twice = [choose(order, option), choose(order, option)];
      const [answer] = await Promise.all(twice);
      if (answer !== null && answer !== undefined && random.chance(0.5)) await look(answer);
    } else if (act < 8) await look(await page());
    else if (act === 8) await tryAll();
    else if (random.chance(0.3)) await orRefused(carat.cancelCheckout(order.id));
    await delay(random.below(1_500));
  }
  await look(await carat.getWidgetCheckout(order.id, order.access_token));
  if (random.chance(0.7)) await tryAll();
};

/** Does the work for each number of an order, as many at once as there are buyers. */
const byBuyers = async (work: (number: number) => Promise<unknown>): Promise<void> => {
  const buyers = Array.from({ length: Math.min(BUYERS, count) }, async (_, index) => {
    for (let number = index; number < count; number += BUYERS) await work(number);
  });
  await Promise.all(buyers);
};

/** Orders with more than one payment that a buyer could pay, as the database knows it: created, on its way, or offered. */
const payableTwice = (): Promise<unknown[]> =>
  product
    .knex('payments AS p')
    .whereNotNull('p.checkout_id')
    .whereNull('p.terminal_at')
    .whereRaw(
      `(p.status IN ('awaiting_payment', 'processing') OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.payment_id = p.id AND i.purpose = 'create_deal')
        OR EXISTS (SELECT 1 FROM offers o WHERE o.payment_id = p.id))`,
    )
    .groupBy('p.checkout_id')
    .havingRaw('count(*) > 1')
    .select('p.checkout_id');

/** The time from which a payment could be paid: the request for its deal, or its first offer. */
const begunTooEarly = async (): Promise<unknown[]> => {
  const { rows } = await product.knex.raw<{ rows: unknown[] }>(
    `WITH begun AS (
       SELECT p.id, p.checkout_id, p.choice, least((SELECT min(i.created_at) FROM tx_intents i WHERE i.payment_id = p.id AND i.purpose = 'create_deal'),
         (SELECT min(l.created_at) FROM payment_logs l WHERE l.payment_id = p.id AND l.event_type = 'deal_offered')) AS at
       FROM payments p WHERE p.checkout_id IS NOT NULL)
     SELECT b.id FROM begun b JOIN payments f ON f.checkout_id = b.checkout_id AND f.choice < b.choice
     WHERE b.at IS NOT NULL AND (f.terminal_at IS NULL OR f.terminal_at > b.at OR f.status = 'completed')`,
  );
  return rows;
};

/** Paid deals on a network, by diamond and id. */
const paidOn = async (name: string): Promise<Set<string>> => {
  const { rpc: url, eip155 } = product.dev.networks[name]!;
  const provider = new ethers.JsonRpcProvider(url, eip155, { staticNetwork: true, cacheTimeout: -1 });
  const { topicHash } = contracts.deal.interface.getEvent('DealPaid')!;
  const logs = await provider.getLogs({ fromBlock: 0, topics: [topicHash] });
  provider.destroy();
  return new Set(logs.map(({ address, topics }) => `${address.toLowerCase()} ${BigInt(topics[1]!)}`));
};

it(`${count} orders with random choices, payments, cancels and kills (seed ${seed}) are paid at most once, as they report`, async () => {
  let isOver = false;
  let kills = 0;
  const killing = async (start: () => Promise<RunningProcess>, first: RunningProcess): Promise<void> => {
    let running = first;
    while (!isOver) {
      await delay(2_000 + Math.random() * 3_000);
      process.kill(running.pid, 'SIGKILL');
      await running.exited;
      running = await start();
      kills += 1;
    }
  };
  const watching = async (): Promise<void> => {
    while (!isOver) {
      expect(await payableTwice()).toEqual([]);
      await delay(50);
    }
  };
  /** Shallower than the confirmations, which are 3. Transactions of the lost blocks are gone. */
  const reorganising = async (): Promise<void> => {
    for (let times = 0; !isOver; times += 1) {
      await delay(1_500 + Math.random() * 3_000);
      await minings[times % minings.length]!.reorganise(1 + Math.floor(Math.random() * 2));
    }
  };
  // The first worker goes on, so that another one is there half of the time.
  const around = [
    killing(() => product.startWorker(), await product.startWorker()),
    killing(() => product.startApi(), api),
    watching(),
    reorganising(),
  ];
  const orders: Checkout[] = [];
  await byBuyers(async (number) => {
    const random = createRandom(seed * 100_000 + number);
    const order = await createOrder(random);
    orders.push(order);
    await live(order, random);
  });
  // What is left ends as well, while kills and reorganisations go on: paid, or canceled by the merchant.
  const ended: Checkout['status'][] = ['completed', 'canceled'];
  await byBuyers((number) =>
    eventually(
      async () => {
        const { id } = orders[number]!;
        const { status, payment } = await carat.getCheckout(id);
        if (ended.includes(status)) return true;
        await orRefused(carat.cancelCheckout(id));
        throw new Error(`order ${id} is ${status}, its payment ${payment?.status} (${payment?.status_detail})`);
      },
      120_000,
      500,
    ),
  );
  isOver = true;
  await Promise.all(around);

  expect(kills).toBeGreaterThan(1);
  // Some choices had to wait for former ones.
  const waits = await product
    .knex('payment_waits')
    .where({ reason: 'former_choice_open', event_type: 'waiting_ended' });
  expect(waits.length).toBeGreaterThan(0);
  expect(await begunTooEarly()).toEqual([]);
  const paid = new Set([...(await paidOn('alpha')), ...(await paidOn('beta'))]);
  const payments = await product.knex('payments').whereNotNull('checkout_id').orderBy(['checkout_id', 'choice']);
  for (const { id } of orders) {
    const own = payments.filter((payment) => payment.checkout_id === id);
    const isPaid = ({ diamond_address, deal_id }: { diamond_address: string; deal_id: string }): boolean =>
      paid.has(`${diamond_address} ${deal_id}`);
    const { status, payment } = await carat.getCheckout(id);
    const [first, ...more] = own.filter(isPaid) as Payment[];
    expect(more).toEqual([]);
    expect([id, status, payment?.id]).toEqual([id, first === undefined ? 'canceled' : 'completed', first?.id]);
    expect(own.filter((one) => one.terminal_at === null)).toEqual([]);
  }
  await expectExactlyOnce(product);
}, 1_800_000);
