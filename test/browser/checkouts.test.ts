import { ethers } from 'ethers';
import type { Page } from 'playwright-core';
import type { Checkout, Payment } from '../../api/generated/openapi-types.ts';
import { dealModes, type DealMode } from '../../domain/payment.ts';
import { eventually } from '../support/eventually.ts';
import { createOrders, type Orders } from './support/orders.ts';
import { payPage, sentences, type PayPage } from './support/pay-page.ts';
import { createTestWallet, reject, type TestWallet } from './support/wallet.ts';
import { openWorld, type World } from './support/world.ts';

/* The page of an order, whose buyer chooses how to pay, and chooses again. Offers last ten seconds here. */

let world: World;
let orders: Orders;

beforeAll(async () => {
  world = await openWorld({ environment: { CARAT_OFFER_WINDOW: '10' } });
  orders = createOrders(world);
});

afterEach(() => world.leave());

afterAll(() => world?.close());

const texts = {
  choose: 'How do you want to pay?',
  closing:
    /Your earlier choice is being closed, so that you cannot pay twice\. This (takes until \d+:\d\d [AP]M at most|page goes on by itself)\./,
  again: 'Pay in another way',
  dollars: '12.50 USDC on alpha',
  coins: '0.125 ETH on alpha',
} as const;

const wallet = async (): Promise<TestWallet> =>
  createTestWallet({ ...(await world.purse('USDC')), chains: [world.chain] });

/** Opens the page of an order beside a wallet, unless it is opened again. */
const visit = async (order: Checkout, buyer?: TestWallet): Promise<{ visited: Page; page: PayPage }> => {
  const visited = await world.visit(order.checkout_url!, { wallets: buyer ? [buyer] : [] });
  return { visited, page: payPage(visited) };
};

/** The order is paid, by its payment of this place among the choices; the other choices are canceled, and the payee has the money once. */
const expectPaid = async (order: Checkout, choice: number, currency: 'ETH' | 'USDC'): Promise<void> => {
  const { payment } = await orders.reached(order, 'completed');
  const payments = await orders.payments(order);
  const statuses = payments.map(({ status }) => status);
  expect(statuses).toEqual(payments.map((_, index) => (index === choice ? 'completed' : 'canceled')));
  expect(payment!.id).toBe(payments[choice]!.id);
  const amount = (symbol: 'ETH' | 'USDC') => world.balance(order.payment_address!, symbol);
  const due = { ETH: ethers.parseEther('0.125'), USDC: 12_500_000n };
  expect([await amount('ETH'), await amount('USDC')]).toEqual(
    (['ETH', 'USDC'] as const).map((symbol) => (symbol === currency ? due[symbol] : 0n)),
  );
};

/** Sends the coins for a payment from elsewhere, ahead of all that waits for a block. */
const sendElsewhere = async (mode: DealMode, payment: Payment): Promise<void> => {
  const { diamond_address: to, contract } = await world.shops[mode].merchant.widget(payment);
  const { privateKey } = await world.purse();
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
  const call = { to, data: contract.data, value: contract.value, chainId: world.chain.eip155, nonce: 0 };
  const signed = await new ethers.Wallet(privateKey).signTransaction({ type: 2, gasLimit: 300_000n, ...fees, ...call });
  await world.send('eth_sendRawTransaction', [signed]);
};

describe.each(dealModes)('%s deals:', (mode) => {
  it('the buyer chooses and pays, with a reload at each step', async () => {
    const order = await orders.open({ mode, items: [{ name: 'A cup of coffee', price: 12.5 }] });
    const { visited, page } = await visit(order, await wallet());
    await page.says(texts.choose);
    await visited.getByText('A cup of coffee').waitFor();
    expect(await page.button(texts.dollars).count()).toBe(1);
    await visited.reload();
    await page.press(texts.coins);
    await page.says(sentences.choose);
    await visited.reload();
    await page.connect();
    await world.whileHalted(async () => {
      await page.pay();
      await page.says(sentences.sent);
      await visited.reload();
      await page.says(sentences.sent);
      expect(await page.button(texts.again).count()).toBe(0);
    });
    await page.paid();
    await expectPaid(order, 0, 'ETH');
    await visited.reload();
    await page.paid();
  });

  it('the buyer chooses anew: the former choice is closed first', async () => {
    const order = await orders.open({ mode });
    const buyer = await wallet();
    buyer.next('eth_sendTransaction', reject);
    const { visited, page } = await visit(order, buyer);
    await page.press(texts.coins);
    await page.connect();
    await page.pay();
    await page.says(sentences.rejected);
    await page.press(texts.again);
    await page.says(texts.choose);
    await world.whileHalted(async () => {
      await page.press(texts.dollars);
      await page.says(texts.closing);
      await visited.reload();
      await page.says(texts.closing);
      expect(await page.button(/^Pay \d/).count()).toBe(0);
    });
    await page.says(sentences.choose);
    const [former] = await orders.payments(order);
    expect(former!.status).toBe('canceled');
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 1, 'USDC');
  });

  it('the former choice is paid after all', async () => {
    const order = await orders.open({ mode });
    const { visited, page } = await visit(order, await wallet());
    await page.press(texts.coins);
    await page.says(sentences.choose);
    const [former] = await orders.payments(order);
    await world.whileHalted(async () => {
      await sendElsewhere(mode, former!);
      await page.press(texts.again);
      await page.press(texts.dollars);
      await page.says(texts.closing);
    });
    await page.paid();
    await visited.getByText('0.125 ETH').first().waitFor();
    await expectPaid(order, 0, 'ETH');
  });

  it('the merchant cancels the order, before and after the choice', async () => {
    const [open, chosen] = [await orders.open({ mode }), await orders.open({ mode })];
    const [{ page: first }, { visited, page: second }] = [await visit(open), await visit(chosen, await wallet())];
    await first.says(texts.choose);
    await second.press(texts.coins);
    await second.connect();
    await Promise.all([orders.cancel(open), orders.cancel(chosen)]);
    for (const page of [first, second]) {
      await page.says('This order is canceled. Nothing can be paid any more.', 45_000);
      expect(await page.button(/./).count()).toBe(0);
    }
    await visited.reload();
    await second.says('This order is canceled. Nothing can be paid any more.');
  });

  it('the time to pay ends, before and after the choice', async () => {
    const tabs = [await world.visit('about:blank'), await world.visit('about:blank')] as const;
    const [first, second] = [payPage(tabs[0]), payPage(tabs[1])];
    const expires_at = new Date(Date.now() + 10_000).toISOString();
    for (const tab of tabs) await tab.goto((await orders.open({ mode, expires_at })).checkout_url!);
    await first.says(texts.choose);
    await second.press(texts.coins);
    for (const page of [first, second]) {
      await page.says('The time to pay this order is over. Nothing can be paid any more.', 60_000);
      expect(await page.button(/./).count()).toBe(0);
    }
    await tabs[1].reload();
    await second.says('The time to pay this order is over. Nothing can be paid any more.');
  });

  it('the merchant cancels the payment alone: the buyer chooses again', async () => {
    const order = await orders.open({ mode });
    const { page } = await visit(order, await wallet());
    await page.press(texts.coins);
    await page.says(sentences.choose);
    const [former] = await orders.payments(order);
    await world.shops[mode].merchant.cancel(former!.id);
    await page.says(texts.choose, 45_000);
    await page.press(texts.coins);
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 1, 'ETH');
  });
});

it('the present choice again is the same payment; another one counts, and the fifth choice is the last', async () => {
  const order = await orders.open({});
  const { visited, page } = await visit(order, await wallet());
  await page.press(texts.coins);
  await page.says(sentences.choose);
  for (const text of [texts.coins, texts.dollars, texts.coins, texts.dollars, texts.dollars, texts.coins]) {
    await page.press(texts.again);
    await page.press(text);
    await page.says(sentences.choose);
  }
  expect(await page.button(texts.again).count()).toBe(0);
  await visited.reload();
  await page.says(sentences.choose);
  expect(await page.button(texts.again).count()).toBe(0);
  expect((await orders.read(order)).choices).toBe(5);
  await page.connect();
  await page.pay();
  await page.paid();
  await expectPaid(order, 4, 'ETH');
});

it('in two tabs, the buyer pays once', async () => {
  const order = await orders.open({});
  const buyer = await wallet();
  const { visited, page } = await visit(order, buyer);
  await page.press(texts.coins);
  await page.says(sentences.choose);
  const tab = await visited.context().newPage();
  await tab.goto(order.checkout_url!);
  const other = payPage(tab);
  await other.press(texts.again);
  await other.press(texts.dollars);
  await other.says(sentences.choose);
  // The first tab learns it within seconds.
  await visited.getByText('12.50 USDC').first().waitFor();
  await page.connect();
  await page.pay();
  await Promise.all([page.paid(), other.paid()]);
  await expectPaid(order, 1, 'USDC');
});

it('a choice while the api is down is made once it is back', async () => {
  const order = await orders.open({});
  const visited = await world.visit(order.checkout_url!, { wallets: [await wallet()], expected: /ERR_/ });
  const page = payPage(visited);
  await page.says(texts.choose);
  await world.restartApi(async () => {
    await page.press(texts.coins);
    await page.says('The choice was not accepted. Try again.');
  });
  await page.press(texts.coins);
  await page.connect();
  await page.pay();
  await page.paid();
  await expectPaid(order, 0, 'ETH');
});

it('a keyboard alone chooses, chooses anew, and pays', async () => {
  const order = await orders.open({});
  const { visited, page } = await visit(order, await wallet());
  /** Goes on to a button, and presses it. The focus never starts over from the top of the page. */
  const reach = async (name: string | RegExp): Promise<void> => {
    await page.button(name).waitFor();
    for (let steps = 0; steps < 12; steps += 1) {
      await visited.keyboard.press('Tab');
      if (await page.button(name).evaluate((node) => node.matches(':focus'))) return visited.keyboard.press('Enter');
    }
    throw new Error(`the keyboard does not reach ${String(name)}`);
  };
  const hasFocus = (): Promise<boolean> => visited.evaluate('document.activeElement.localName === "carat-pay"');
  await page.says(texts.choose);
  // The answer takes longer than the page needs to draw itself again.
  await visited.route('**/choose', async (route) => {
    await visited.locator('carat-pay .spin').waitFor();
    await visited.locator('carat-pay').evaluate(
      (element: EventTarget) =>
        new Promise((drawn) => {
          element.addEventListener('carat-draw', drawn, { once: true });
        }),
    );
    await route.continue();
  });
  await reach(texts.coins);
  await page.says(sentences.choose);
  expect(await hasFocus()).toBe(true);
  await reach(texts.again);
  await page.says(texts.choose);
  expect(await hasFocus()).toBe(true);
  await reach(texts.dollars);
  await page.says(sentences.choose);
  expect(await hasFocus()).toBe(true);
  await reach('Test Wallet');
  await page.says(sentences.ready);
  expect(await hasFocus()).toBe(true);
  await reach(/^Pay \d/);
  await page.paid();
  await expectPaid(order, 1, 'USDC');
});

it('an order full of markup and bidirectional controls runs no script and hides nothing', async () => {
  const bidi = '\u202e\u2066\u200f\u061c';
  const markup = ['<img src=x onerror="globalThis.pwned=1">', '</bdi></section><script>globalThis.pwned=1</script>'];
  const filler = Array.from({ length: 40 }, () => ({ name: `${bidi}<b>`.repeat(36), price: 0.01 }));
  const order = await orders.open({
    external_id: `${markup[0]}${bidi}${Math.random()}`,
    items: [...markup.map((name) => ({ name, price: 1 })), { name: 'x'.repeat(255), price: 1 }, ...filler],
  });
  expect(Buffer.byteLength(JSON.stringify(order.items))).toBeGreaterThan(10_000);
  const { visited, page } = await visit(order, await wallet());
  const isSound = async (): Promise<void> => {
    await visited.getByText(markup[0]!, { exact: true }).waitFor();
    expect(await visited.evaluate(() => (globalThis as { pwned?: number }).pwned)).toBeUndefined();
    expect(await visited.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(
      0,
    );
  };
  await visited.setViewportSize({ width: 320, height: 640 });
  await page.button(texts.coins).waitFor();
  await isSound();
  await page.press(texts.coins);
  await page.connect();
  await visited.getByText('Your order', { exact: true }).click();
  await isSound();
  await page.pay();
  await page.paid();
  await expectPaid(order, 0, 'ETH');
});

it('the page of an order has the language and the name of its merchant before the buyer chooses', async () => {
  const order = await orders.open({ locale: 'ar' });
  const { visited } = await visit(order);
  await eventually(async () => (await visited.evaluate('document.documentElement.lang')) === 'ar');
  const merchant = await visited.getByRole('heading').innerText();
  expect(await visited.title()).toBe(merchant.trim());
});
