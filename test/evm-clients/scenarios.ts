import { ethers, Transaction } from 'ethers';
import type { Payment, PaymentRequest } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { batcherAddress } from '../../chain/pure/platform.ts';
import { release, releases } from '../../chain/pure/releases.ts';
import { createCaratClient } from '../../client/client.ts';
import { devPlatform } from '../../tools/stack/accounts.ts';
import type { Chain } from '../../tools/stack/chain.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { signPermit } from '../support/permit.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { releaseNewest } from '../support/upgrade.ts';

/** The parts of the tests of all clients. */
export interface Scenarios {
  /** Starts the chain, with blocks of a second. */
  readonly startChain: (chainId: number) => Promise<Chain>;
}

/** The parts that a client's scenarios run on, for further tests; set from `beforeAll` on. */
export interface Tested {
  readonly product: () => Product;
  readonly shop: () => Shop;
  /** Whether the client drops the batcher's transactions, though it accepts them. */
  readonly dropSends: (isDropped: boolean) => void;
}

/**
 * The whole product on one client: from the network's preparation to payments that go on after an update, with nothing done twice
 * after any of it.
 */
export const paymentsWork = ({ startChain }: Scenarios): Tested => {
  let product: Product;
  let shop: Shop;
  let node: Proxy;
  /** Transactions of the batcher that are dropped: the client has them, and no block ever does. */
  let isDropped: (tx: Transaction) => boolean = () => false;

  beforeAll(async () => {
    node = await startProxy('');
    node.rewrite = (request) => {
      if (request.method !== 'eth_sendRawTransaction') return request;
      const tx = Transaction.from(request.params[0] as string);
      const isOurs = tx.to?.toLowerCase() === batcherAddress(devPlatform);
      return isOurs && isDropped(tx) ? { result: tx.hash } : request;
    };
    product = await createProduct({
      networks: [{ name: 'alpha', eip155: 31_337, blockTime: 1, confirmations: 2, finality: 64 }],
      startChain: ({ eip155 }) => startChain(eip155),
      urlOf: (_, url) => {
        node.target = url;
        return node.url;
      },
      release: releases[0],
    });
    await Promise.all([product.startApi(), product.startWorker()]);
    shop = await openShop(product);
    await shop.deployed('alpha');
  });

  afterAll(async () => {
    shop?.close();
    await product?.stop();
    await node?.close();
  });
  afterEach(() => expectExactlyOnce(product));

  const create = (symbol: string, more: Partial<PaymentRequest> = {}): Promise<Payment> =>
    shop.create('alpha', { currency_id: product.dev.currencies[symbol]!.id, ...more });

  it.each([
    ['ETH', 100_000_000_000_000_000n],
    ['USDC', 100_000n],
    ['DAI', 100_000_000_000_000_000n],
  ])('%s goes to a new payee, to the unit', async (symbol, units) => {
    const payment = await create(symbol);
    const hash = await shop.pay('alpha', payment);
    expect(await shop.reached(payment, 'completed')).toMatchObject({ transaction_hash: hash });
    const token = product.dev.currencies[symbol]!.tokens.alpha!.address;
    expect(await shop.buyers.alpha!.balance(token, payment.payment_address)).toBe(units);
  });

  it('a token is paid with a permit, without an approval', async () => {
    const payment = await create('USDC');
    await shop.reached(payment, 'awaiting_payment');
    const { diamond_address: diamond, contract, amount, token_address: token } = await shop.merchant.widget(payment);
    const { rpc, eip155 } = product.dev.networks.alpha!;
    const provider = new ethers.JsonRpcProvider(rpc, eip155, { staticNetwork: true, cacheTimeout: -1 });
    try {
      const buyer = new ethers.Wallet(product.dev.buyer.private_key, provider);
      const deadline = Math.floor(Date.now() / 1_000) + 600;
      const { v, r, s } = await signPermit(buyer, { token: token!, spender: diamond, value: BigInt(amount), deadline });
      const deals = new ethers.Contract(diamond, contracts.deal.interface, buyer);
      const sent = await deals.getFunction('payTokenWithPermit')(...contract.arguments, deadline, v, r, s);
      expect(await shop.reached(payment, 'completed')).toMatchObject({ transaction_hash: sent.hash });
    } finally {
      provider.destroy();
    }
  });

  it('a payment is canceled, and nobody can pay it any more', async () => {
    const payment = await create('ETH');
    await shop.reached(payment, 'awaiting_payment');
    const data = await shop.merchant.widget(payment);
    await shop.merchant.cancel(payment.id);
    await shop.reached(payment, 'canceled');
    await expect(shop.buyers.alpha!.pay(data)).rejects.toThrow();
  });

  it('a payment expires by the time of the chain', async () => {
    const payment = await create('ETH', { expires_at: new Date(Date.now() + 5_000).toISOString() });
    expect(await shop.reached(payment, 'expired')).toMatchObject({ paid_at: null, payer: null });
  });

  /** Attempts of the one slot that the deal of a payment was in. */
  const attemptsOf = async ({ id }: Payment) => {
    const [slot, ...others] = await product
      .knex('tx_intents')
      .where({ payment_id: id })
      .distinct('slot_id')
      .pluck('slot_id');
    expect(others).toEqual([]);
    return product.knex('tx_attempts').where({ slot_id: slot }).orderBy('seq');
  };

  it('a transaction that the client took and dropped is sent again', async () => {
    const dropped: Transaction[] = [];
    isDropped = (tx) => dropped.length === 0 && dropped.push(tx) > 0;
    const payment = await create('ETH');
    await shop.reached(payment, 'awaiting_payment');
    expect(dropped).toHaveLength(1);
    expect(await attemptsOf(payment)).not.toEqual([]);
  });

  it("a transaction dropped for its fee is replaced at the merchant's request", async () => {
    const dropped: Transaction[] = [];
    isDropped = (tx) => {
      const isFirst = tx.maxPriorityFeePerGas! === (dropped[0] ?? tx).maxPriorityFeePerGas;
      if (isFirst) dropped.push(tx);
      return isFirst;
    };
    const payment = await create('ETH');
    await eventually(() => dropped.length > 0);
    await shop.merchant.retrySend(payment.id);
    await shop.reached(payment, 'awaiting_payment');
    isDropped = () => false;
    expect((await attemptsOf(payment)).length).toBeGreaterThan(1);
    const story = (await shop.merchant.logs(payment.id)).map(({ event_type: event }) => event);
    expect(story).toEqual(expect.arrayContaining(['retry_requested', 'transaction_bumped']));
  });

  it('simultaneous payments are payable, each by one deal', async () => {
    const payments = await Promise.all(Array.from({ length: 20 }, () => create('ETH')));
    const ready = await Promise.all(payments.map((payment) => shop.reached(payment, 'awaiting_payment')));
    expect(ready.map(({ status_detail: detail }) => detail)).toEqual(payments.map(() => null));
  });

  it('a diamond of the first release is updated by a cut, and its payments go on', async () => {
    const before = await create('ETH');
    await shop.reached(before, 'awaiting_payment');
    const canceled = await create('USDC');
    await shop.reached(canceled, 'awaiting_payment');
    await releaseNewest(product, 'alpha');
    const { api: url, admin, networks, nodes } = product.dev;
    const carat = createCaratClient({ url, apiKey: admin.api_key, secret: admin.secret });
    const place = { node_id: nodes.merchant!, network_id: networks.alpha!.id };
    await eventually(async () => (await carat.checkVersion(shop.wallet.id, place)).any_update_available);
    await carat.updateDiamond(shop.wallet.id, place);
    const isUpdated = async () =>
      (await product.knex('diamonds').where({ wallet_id: shop.wallet.id, release: release.version, updating: false }))
        .length > 0;
    await eventually(isUpdated, 30_000);
    await shop.merchant.cancel(canceled.id);
    await shop.pay('alpha', before);
    await shop.reached(before, 'completed');
    await shop.reached(canceled, 'canceled');
  });

  const dropSends = (dropped: boolean): void => {
    isDropped = () => dropped;
  };
  return { product: () => product, shop: () => shop, dropSends };
};
