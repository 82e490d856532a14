import fs from 'node:fs';
import path from 'node:path';
import { ethers } from 'ethers';
import type { Page } from 'playwright-core';
import { root } from '../../tools/paths.ts';
import { lookAt } from './support/looks.ts';
import { createOrders, type OpenOrderOptions, type Orders } from './support/orders.ts';
import { batchCode } from './support/tokens.ts';
import { createBatchWallet, createTestWallet, hold, ignore, reject, claim, type TestWallet } from './support/wallet.ts';
import { openWorld, type OrderOptions, type VisitOptions, type World } from './support/world.ts';

/* Every state of the page, as people see it: `npm run screenshots` writes a picture of each to `.carat/screenshots`. */

let world: World;
let orders: Orders;

beforeAll(async () => {
  world = await openWorld();
  orders = createOrders(world);
});

/** What is wrong with the looks of the present test. */
let wrong: string[] = [];

afterEach(async () => {
  const seen = wrong;
  wrong = [];
  await world.leave();
  expect(seen).toEqual([]);
});

afterAll(() => world?.close());

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A page in one language, spoken to by the keys of its texts. */
interface Reader {
  readonly page: Page;
  says(key: string): Promise<void>;
  press(key: string): Promise<void>;
  open(key: string): Promise<void>;
  looks(state: string): Promise<void>;
}

const expectLooks = (reader: Reader, state: string): Promise<void> => reader.looks(state);

describe.each(['en', 'ar'])('in %s,', (locale) => {
  const texts = JSON.parse(fs.readFileSync(path.join(root, `widget/locales/${locale}.json`), 'utf8')) as Record<
    string,
    string
  >;
  /** Matches a text whatever stands in its places. */
  const matching = (key: string): RegExp =>
    new RegExp(
      texts[key]!.split(/\{\w+\}/)
        .map(escaped)
        .join('.+'),
    );

  const read = async (url: string, options: VisitOptions): Promise<Reader> => {
    const page = await world.visit(url, options);
    return {
      page,
      says: (key) =>
        page
          .getByRole('status')
          .filter({ hasText: matching(key) })
          .waitFor(),
      press: (key) => page.getByRole('button', { name: key in texts ? matching(key) : key }).click(),
      open: (key) => page.getByText(matching(key)).first().click(),
      looks: async (state) => void wrong.push(...(await lookAt(page, state, locale === 'ar'))),
    };
  };

  const terms = {
    locale,
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
    items: [
      { name: 'Shirt, blue, size M', price: 10 },
      { name: 'Socks', price: 2.5 },
    ],
  };
  const order = (options: OrderOptions = {}) => world.order({ ...terms, ...options });
  const openOrder = (options: OpenOrderOptions = {}) =>
    orders.open({ mode: 'created', currencies: ['USDC', 'DAI', 'ETH'], ...terms, ...options });

  const wallet = async (currency: 'ETH' | 'USDC', tokens = '100', coins = '10'): Promise<TestWallet> =>
    createTestWallet({ ...(await world.purse(currency, tokens, coins)), chains: [world.chain] });

  it('a link that is not valid', async () => {
    const { payment } = await order();
    const url = `${world.product.dev.api}/pay/${payment.id}#wt_x`;
    const page = await read(url, { locale, expected: /40[0134]/ });
    await page.says('refused');
    await expectLooks(page, 'refused');
  });

  it('from the choice of a wallet to the end', async () => {
    const { url } = await order({ currency: 'USDC' });
    const buyer = createTestWallet({
      ...(await world.purse('USDC')),
      chains: [{ eip155: 1, rpc: world.chain.rpc }, world.chain],
    });
    const rabbit = createTestWallet({ name: 'Rabbit', chains: [world.chain] });
    const page = await read(url, { wallets: [buyer, rabbit] });
    await page.says('status_awaiting_payment');
    await page.open('items');
    await expectLooks(page, 'choose-wallet');

    const [connect, move, approval, payment] = [hold(), hold(), hold(), hold()];
    buyer.next('eth_requestAccounts', connect.behaviour);
    await page.press('Test Wallet');
    await page.says('ask_connect');
    await expectLooks(page, 'ask-connect');
    connect.release();
    await page.says('status_ready');
    await expectLooks(page, 'ready');

    buyer.next('wallet_switchEthereumChain', move.behaviour);
    buyer.next('eth_sendTransaction', approval.behaviour, payment.behaviour);
    await page.press('pay_button');
    await page.says('ask_switch');
    await expectLooks(page, 'ask-switch');
    move.release();
    await page.says('ask_approve');
    await expectLooks(page, 'ask-approve');
    await world.whileHalted(async () => {
      approval.release();
      await page.says('approving');
      await expectLooks(page, 'approving');
    });
    await page.says('ask_pay');
    await expectLooks(page, 'ask-pay');
    await world.whileHalted(async () => {
      payment.release();
      await page.says('sent');
      await expectLooks(page, 'sent');
      await world.send('anvil_mine', []);
      await page.says('status_processing');
      await expectLooks(page, 'processing');
    });
    await page.says('status_completed');
    await expectLooks(page, 'completed');
  });

  it('a permit is signed', async () => {
    const { url } = await order({ currency: 'DAI' });
    const buyer = createTestWallet({ ...(await world.purse('DAI')), chains: [world.chain] });
    buyer.next('eth_signTypedData_v4', ignore);
    const page = await read(url, { wallets: [buyer] });
    await page.press('Test Wallet');
    await page.press('pay_button');
    await page.says('ask_permit');
    await expectLooks(page, 'ask-permit');
  });

  it('no wallet, and a code for the phone', async () => {
    const { url } = await order();
    const page = await read(url, {});
    await page.page.getByText(matching('wallet_none')).waitFor();
    await expectLooks(page, 'no-wallet');
    await page.open('phone');
    await page.page.getByRole('img', { name: matching('qr_label') }).waitFor();
    await expectLooks(page, 'phone-code');
  });

  it('a phone without a wallet gets links to wallet apps', async () => {
    const { url } = await order();
    const page = await read(url, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await page.page.getByRole('link', { name: /MetaMask/ }).waitFor();
    await expectLooks(page, 'wallet-links');
  });

  it('a rejection, and insufficient means', async () => {
    const { url } = await order({ currency: 'USDC' });
    const buyer = await wallet('USDC', '8');
    buyer.next('eth_requestAccounts', reject);
    const page = await read(url, { wallets: [buyer] });
    await page.press('Test Wallet');
    await page.says('trouble_rejected');
    await expectLooks(page, 'rejected');
    await page.press('again_button');
    await page.press('pay_button');
    await page.says('trouble_few_tokens');
    await expectLooks(page, 'few-tokens');
    await world.give(buyer.address, 'USDC', '10');
    await world.send('anvil_setBalance', [buyer.address, '0x1']);
    await page.press('again_button');
    await page.says('trouble_few_fees');
    await expectLooks(page, 'few-fees');
  });

  it('a wallet that is slow, and a payment that does not come', async () => {
    const { url } = await order({ currency: 'ETH' });
    const buyer = await wallet('ETH');
    const page = await read(url, { wallets: [buyer], clock: true });
    await page.press('Test Wallet');
    await page.says('status_ready');
    const slow = hold(claim(ethers.id('never')));
    buyer.next('eth_sendTransaction', slow.behaviour);
    await page.press('pay_button');
    await page.says('ask_pay');
    await page.page.clock.fastForward(25_000);
    await page.page.getByText(matching('ask_slow')).waitFor();
    await expectLooks(page, 'slow-wallet');
    slow.release();
    await page.says('sent');
    await page.page.clock.fastForward(130_000);
    await page.says('sent_late');
    await expectLooks(page, 'sent-late');
  });

  it('an order that is canceled, and one that expires', async () => {
    const canceled = await order();
    const page = await read(canceled.url, { wallets: [await wallet('USDC')] });
    await world.shops.created.merchant.cancel(canceled.payment.id);
    await page.says('status_canceled');
    await expectLooks(page, 'canceled');
    const expiring = await order({ expires_at: new Date(Date.now() + 4_000).toISOString(), until: 'expired' });
    const other = await read(expiring.url, {});
    await other.says('status_expired');
    await expectLooks(other, 'expired');
  });

  it('an order whose buyer chooses', async () => {
    const open = await openOrder();
    const page = await read(open.checkout_url!, { wallets: [await wallet('USDC')] });
    await page.says('choose_title');
    await expectLooks(page, 'order-open');
    const choose = (reader: Reader, option: number) => reader.page.getByRole('button').nth(option).click();
    await choose(page, 2);
    await page.says('status_awaiting_payment');
    await expectLooks(page, 'order-chosen');
    await page.press('choose_again');
    await world.whileHalted(async () => {
      await choose(page, 0);
      await page.says('status_former_choice_open');
      await expectLooks(page, 'order-chosen-anew');
    });
    const offered = await openOrder({ mode: 'offered' });
    const other = await read(offered.checkout_url!, { wallets: [await wallet('USDC')], expected: /ERR_/ });
    await choose(other, 2);
    await other.says('status_awaiting_payment');
    const [former] = await orders.payments(offered);
    await world.shops.offered.merchant.widget(former!);
    await other.press('choose_again');
    await choose(other, 0);
    await other.says('status_former_choice_until');
    await expectLooks(other, 'order-chosen-anew-until');
    await other.press('choose_again');
    await other.page.route('**/choose', (route) => route.abort());
    await choose(other, 2);
    await other.says('choose_failed');
    await expectLooks(other, 'order-choice-failed');
  });

  it('an order that ends before a choice', async () => {
    const canceled = await openOrder();
    const page = await read(canceled.checkout_url!, {});
    await page.says('choose_title');
    await orders.cancel(canceled);
    await page.says('status_canceled');
    await expectLooks(page, 'order-canceled');
  });

  it('a payment in preparation, and one being canceled', async () => {
    await world.whileHalted(async () => {
      const { id } = world.currencies.ETH;
      const made = await world.shops.created.create('alpha', { ...terms, currency_id: id, price: 1, paid_price: 1 });
      const page = await read(made.checkout_url!, { wallets: [await wallet('ETH')] });
      await page.says('status_pending');
      await expectLooks(page, 'pending');
      await world.send('evm_setIntervalMining', [1]);
      await page.says('status_awaiting_payment');
      await world.send('evm_setIntervalMining', [0]);
      await world.shops.created.merchant.cancel(made.id);
      await page.says('status_canceling');
      await expectLooks(page, 'canceling');
    });
  });

  it('a batch', async () => {
    const { url } = await order({ currency: 'USDC' });
    const purse = await world.purse('USDC');
    const buyer = await createBatchWallet({ ...purse, chains: [world.chain], atomic: 'supported' }, batchCode());
    buyer.next('wallet_sendCalls', ignore);
    const page = await read(url, { wallets: [buyer] });
    await page.press('Test Wallet');
    await page.press('pay_button');
    await page.says('ask_batch');
    await expectLooks(page, 'ask-batch');
    await page.page.reload();
    await page.says('trouble_maybe_asked');
    await expectLooks(page, 'maybe-asked');
  });

  it('the api is down', async () => {
    const { url } = await order();
    const page = await read(url, { wallets: [await wallet('USDC')], expected: /ERR_/ });
    await page.says('status_awaiting_payment');
    await world.restartApi(async () => {
      await page.says('reconnecting');
      await expectLooks(page, 'reconnecting');
    });
  });
});
