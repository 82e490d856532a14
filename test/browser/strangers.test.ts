import fs from 'node:fs';
import path from 'node:path';
import { ethers } from 'ethers';
import type { Page } from 'playwright-core';
import { openEmbedding, type Embedding } from './support/embedding.ts';
import { createOrders } from './support/orders.ts';
import { payPage, sentences } from './support/pay-page.ts';
import { createTestWallet, type TestWallet } from './support/wallet.ts';
import { openWorld, type Order, type World } from './support/world.ts';

/* Pages of other origins, orders full of markup, and tokens that belong to another payment. */

let world: World;
let embedding: Embedding;

beforeAll(async () => {
  [world, embedding] = await Promise.all([openWorld(), openEmbedding()]);
});

afterEach(() => world.leave());

afterAll(async () => {
  await embedding?.close();
  await world?.close();
});

const ethWallet = async (): Promise<TestWallet> =>
  createTestWallet({ ...(await world.purse()), chains: [world.chain] });

const expectPaidOnce = async ({ payment }: Order): Promise<void> => {
  await world.shops.created.reached(payment, 'completed');
  expect(await world.balance(payment.payment_address, 'ETH')).toBe(ethers.parseEther('0.125'));
};

/** A merchant's page with the element. It hears the element's events. */
const shopPage = (attributes: string): string =>
  embedding.serve(`<!doctype html><html lang="en"><title>Shop</title>
    <script>heard = []; addEventListener('carat-status', ({ detail }) => heard.push(detail));</script>
    <script type="module" src="${world.product.dev.api}/widget/v1/carat-pay.js"></script>
    <h1>Shop</h1><carat-pay ${attributes}></carat-pay>`);

/** What a merchant's page has heard. */
const heardIn = (page: Page): Promise<unknown[]> =>
  page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard);

describe('a page of another origin', () => {
  it('embeds the element, which pays and gives the page each status', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    const { id, access_token: token } = order.payment;
    const visited = await world.visit(shopPage(`payment="${id}" token="${token}"`), { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaidOnce(order);
    const of = (status: string) => ({ id, status });
    expect(await heardIn(visited)).toEqual([of('awaiting_payment'), of('processing'), of('completed')]);
  });

  it('embeds an order, whose buyer chooses and pays', async () => {
    const orders = createOrders(world);
    const order = await orders.open();
    const { id, access_token: token } = order;
    const wallets = [await ethWallet()];
    const visited = await world.visit(shopPage(`checkout="${id}" token="${token}"`), { wallets });
    const page = payPage(visited);
    await page.press('0.125 ETH on alpha');
    await page.connect();
    await page.pay();
    await page.paid();
    const { payment } = await orders.reached(order, 'completed');
    expect(await heardIn(visited)).toContainEqual({ id: payment!.id, status: 'completed' });
  });

  it('cannot frame the hosted page', async () => {
    const order = await world.order({ currency: 'ETH' });
    const visited = await world.visit(embedding.serve(`<title>x</title><iframe src="${order.url}"></iframe>`), {
      wallets: [await ethWallet()],
      expected: /frame-ancestors|Refused to (frame|display)/,
    });
    const frame = visited.frames().find((one) => one !== visited.mainFrame())!;
    await frame.waitForLoadState();
    expect(await frame.getByRole('button').count()).toBe(0);
    expect(await frame.getByRole('status').count()).toBe(0);
  });

  it('frames the hosted page where its node allows the origin', async () => {
    const order = await world.order({ currency: 'ETH' });
    await world.allowFrames([embedding.origin]);
    const wallet = await ethWallet();
    const visited = await world.visit(
      embedding.serve(`<title>x</title><iframe src="${order.url}" width="500" height="900"></iframe>`),
      { wallets: [wallet] },
    );
    const page = payPage(visited.frames().find((one) => one !== visited.mainFrame())!);
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaidOnce(order);
  });
});

const bidi = '\u202e\u2066\u200f\u061c';
const markup = [
  '<img src=x onerror="globalThis.pwned=1">',
  '</bdi></section><script>globalThis.pwned=1</script>',
  '"><svg onload=globalThis.pwned=1>',
  '{{constructor.constructor("globalThis.pwned=1")()}}${globalThis.pwned=1}',
  `${bidi}CDSU 00.1 yaP`,
  'ﷺ'.repeat(60),
];

it('an order full of markup and bidirectional controls runs no script and hides nothing', async () => {
  const item = (name: string) => ({ name: name.slice(0, 255), price: 0.01 });
  const order = await world.order({
    currency: 'ETH',
    external_id: `${markup[0]}${bidi}${Math.random()}`,
    items: [
      ...markup.map(item),
      item('x'.repeat(255)),
      ...Array.from({ length: 40 }, () => item(`${bidi}<b>`.repeat(40))),
    ],
  });
  const wallet = await ethWallet();
  const visited = await world.visit(order.url, { wallets: [wallet] });
  const page = payPage(visited);
  await page.connect();
  await visited.getByText('Your order', { exact: true }).click();
  await visited.getByText(markup[0]!, { exact: true }).waitFor();
  await page.button('Pay 0.125 ETH').waitFor();
  expect(await visited.evaluate(() => (globalThis as { pwned?: number }).pwned)).toBeUndefined();
  const width = await visited.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(width).toBe(0);
  await page.pay();
  await page.paid();
  await expectPaidOnce(order);
});

it('a token shows no other payment', async () => {
  const [one, other] = [await world.order({ currency: 'ETH' }), await world.order({ currency: 'ETH' })];
  const url = `${world.product.dev.api}/pay/${one.payment.id}#${other.payment.access_token}`;
  const visited = await world.visit(url, { wallets: [await ethWallet()], expected: /40[134]/ });
  const page = payPage(visited);
  await page.says('This payment link is not valid or has ended.');
  expect(await visited.getByRole('main').innerText()).not.toContain('ETH');
  expect(await page.button(/./).count()).toBe(0);
});

it('the token stands in no address of a request, no log of the api, and no referrer', async () => {
  const order = await world.order({ currency: 'ETH' });
  const wallet = await ethWallet();
  const visited = await world.visit('about:blank', { wallets: [wallet] });
  const seen: string[] = [];
  visited.on('request', (request) => seen.push(`${request.url().split('#')[0]} ${request.headers().referer ?? ''}`));
  await visited.goto(order.url);
  const page = payPage(visited);
  await page.connect();
  await page.pay();
  await page.paid();
  expect(seen.length).toBeGreaterThan(2);
  expect(seen.filter((line) => line.includes(order.payment.access_token))).toEqual([]);
  const log = fs.readFileSync(path.join(world.product.logs, 'api.log'), 'utf8');
  expect(log).not.toContain(order.payment.access_token);
});

it('a rejected wallet of a hostile extension cannot make the page claim that it is paid', async () => {
  const order = await world.order({ currency: 'ETH' });
  const wallet = await ethWallet();
  const visited = await world.visit(order.url, { wallets: [wallet] });
  const page = payPage(visited);
  wallet.always('eth_getTransactionReceipt', async () => ({ status: '0x1', blockNumber: '0x1', logs: [] }));
  wallet.always('eth_sendTransaction', async () => ethers.id('paid, honestly'));
  await page.connect();
  await page.pay();
  await page.says(sentences.sent);
  await wallet.account.emit('message', { type: 'paid', data: { status: 'completed' } });
  await world.send('anvil_mine', [20]);
  await page.says(sentences.sent);
  expect(await visited.getByText('Paid').count()).toBe(0);
});
