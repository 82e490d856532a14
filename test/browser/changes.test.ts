import { ethers } from 'ethers';
import { dealModes } from '../../domain/payment.ts';
import { eventually } from '../support/eventually.ts';
import { payPage, sentences } from './support/pay-page.ts';
import { createTestWallet, hold, reject, type TestWallet } from './support/wallet.ts';
import { openWorld, type Order, type World } from './support/world.ts';

/* What happens elsewhere while the page is open. Offers last sixteen seconds here. */

let world: World;

beforeAll(async () => {
  world = await openWorld({ environment: { CARAT_OFFER_WINDOW: '16' } });
});

afterEach(() => world.leave());

afterAll(() => world?.close());

/** What the browser writes to its console while the api is down. */
const isDown = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_SOCKET_NOT_CONNECTED/;

const ethWallet = async (): Promise<TestWallet> =>
  createTestWallet({ ...(await world.purse()), chains: [world.chain] });

const expectPaidOnce = async ({ payment }: Order): Promise<void> => {
  await world.shops.created.reached(payment, 'completed');
  expect(await world.balance(payment.payment_address, 'ETH')).toBe(ethers.parseEther('0.125'));
};

describe.each(dealModes)('%s deals:', (mode) => {
  it('the api is killed and comes back while the page is open', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = await ethWallet();
    const page = payPage(await world.visit(order.url, { wallets: [wallet], expected: isDown }));
    await page.connect();
    await world.restartApi(async () => {
      await page.says('The connection is lost.');
      await page.pay();
      await page.says('The payment service does not answer. Nothing was paid.');
    });
    await page.press('Try again');
    await page.paid();
    await expectPaidOnce(order);
    expect(wallet.sends()).toHaveLength(1);
  });

  it('the api is killed after the wallet has sent', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = await ethWallet();
    const page = payPage(await world.visit(order.url, { wallets: [wallet], expected: isDown }));
    await page.connect();
    const lost = Promise.withResolvers<void>();
    let restarted: Promise<void> | undefined;
    // A start of the api can take longer than an offer.
    await world.whileHalted(async () => {
      await page.pay();
      await page.says(sentences.sent);
      restarted = world.restartApi(async () => {
        await page.says('The connection is lost.');
        lost.resolve();
      });
      await Promise.race([lost.promise, restarted]);
    });
    await restarted;
    await page.paid();
    await expectPaidOnce(order);
    expect(wallet.sends()).toHaveLength(1);
  });

  it('somebody else pays', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = await ethWallet();
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await world.shops[mode].pay('alpha', order.payment);
    await page.paid();
    expect(wallet.sends()).toHaveLength(0);
    expect(await page.button(/^Pay/).count()).toBe(0);
  });

  it('somebody else pays while the wallet asks: the wallet does not pay a second time', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = await ethWallet();
    const held = hold();
    wallet.next('eth_sendTransaction', held.behaviour);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await held.asked;
    await world.shops[mode].pay('alpha', order.payment);
    await page.paid();
    held.release();
    await eventually(() => wallet.sends()[0]!.outcome?.code !== undefined);
    await page.paid();
    await expectPaidOnce(order);
  });

  it('the merchant cancels', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = await ethWallet();
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    const { merchant } = world.shops[mode];
    // From now on, an offer may be paid until it ends.
    await merchant.widget(order.payment);
    await world.whileHalted(async () => {
      await merchant.cancel(order.payment.id);
      await page.says('The shop is canceling this order. Do not pay it.');
      expect(await page.button(/^Pay/).count()).toBe(0);
    });
    await page.says('This order is canceled. Nothing can be paid any more.', 45_000);
    expect(await page.button(/^Pay/).count()).toBe(0);
    expect(wallet.sends()).toHaveLength(0);
  });

  it('the order expires', async () => {
    const order = await world.order({ mode, currency: 'ETH', expires_at: new Date(Date.now() + 20_000).toISOString() });
    const wallet = await ethWallet();
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.says('The time to pay this order is over.', 45_000);
    expect(await page.button(/^Pay/).count()).toBe(0);
    expect(wallet.sends()).toHaveLength(0);
  });

  it('a reorganisation removes the payment, which is mined again', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = await ethWallet();
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await world.whileHalted(async () => {
      await page.pay();
      await page.says(sentences.sent);
      const hash = wallet.sends()[0]!.outcome!.answer;
      const raw = await world.send('eth_getRawTransactionByHash', [hash]);
      await world.send('anvil_mine', []);
      await page.says(sentences.processing);
      await visited.getByText('1 of 3 confirmations.').waitFor();
      await world.send('anvil_reorg', [1, []]);
      await world.send('anvil_mine', []);
      await page.says(sentences.sent);
      expect(await page.button(/^Pay/).count()).toBe(0);
      await world.send('eth_sendRawTransaction', [raw]);
    });
    await page.paid();
    await expectPaidOnce(order);
    expect(wallet.sends()).toHaveLength(1);
  });
});

it('the deal is created while the page is open, and is then paid', async () => {
  const wallet = await ethWallet();
  const { id } = world.currencies.ETH;
  await world.whileHalted(async () => {
    const payment = await world.shops.created.create('alpha', { currency_id: id, price: 0.125, paid_price: 0.125 });
    const page = payPage(await world.visit(payment.checkout_url!, { wallets: [wallet] }));
    await page.says('Your order is being prepared. This page goes on by itself.');
    expect(await page.button(/./).count()).toBe(0);
    await world.send('evm_setIntervalMining', [1]);
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaidOnce({ payment, url: payment.checkout_url! });
  });
});

/** End of the newest offer of an order, in Unix seconds; null before the first. */
const offeredUntil = async ({ payment }: Order): Promise<number> =>
  Number((await world.product.knex('offers').where({ payment_id: payment.id }).max('valid_until as end').first())!.end);

/** Waits until the chain is past a time, in Unix seconds. */
const chainPasses = (end: number): Promise<unknown> =>
  eventually(async () => {
    const { timestamp } = (await world.send('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
    return Number(timestamp) > end;
  }, 40_000);

it('an offer ends while the page is open, and the next one is paid', async () => {
  const order = await world.order({ mode: 'offered', currency: 'ETH' });
  const wallet = await ethWallet();
  wallet.next('eth_sendTransaction', reject);
  const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
  await page.connect();
  await page.pay();
  await page.says(sentences.rejected);
  const first = await offeredUntil(order);
  await chainPasses(first);
  await page.press('Try again');
  await page.paid();
  await expectPaidOnce(order);
  expect(await offeredUntil(order)).toBeGreaterThan(first);
});

it('an offer ends while the wallet asks, and the next one is paid', async () => {
  const order = await world.order({ mode: 'offered', currency: 'ETH' });
  const wallet = await ethWallet();
  const held = hold();
  wallet.next('eth_sendTransaction', held.behaviour);
  const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
  await page.connect();
  await page.pay();
  await held.asked;
  await chainPasses(await offeredUntil(order));
  held.release();
  await page.says('The offer of this order has just ended. Try again.');
  await page.press('Try again');
  await page.paid();
  await expectPaidOnce(order);
});
