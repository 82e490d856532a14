import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { createTestWallet } from './support/wallet.ts';
import { openEmbedding, type Embedding } from './support/embedding.ts';
import { openWorld, type World } from './support/world.ts';
import { samplesOf } from '../support/samples.ts';

/* The samples of docs/guides/checkout.md, as a merchant's own page. */

let world: World;
let shop: Embedding;

beforeAll(async () => {
  [world, shop] = await Promise.all([openWorld(), openEmbedding()]);
}, 180_000);

afterEach(() => world.leave());

afterAll(async () => {
  await shop?.close();
  await world?.close();
});

/** A computed style of an element. */
const styleOf = (element: Locator, name: string): Promise<string> =>
  element.evaluate(
    (node, key) =>
      (globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> }).getComputedStyle(node)[key]!,
    name,
  );

it('the page of the guide shows the element in its own look, and hears that it is paid, under the policy of the guide', async () => {
  const { payment, url } = await world.order({ mode: 'offered' });
  const { origin: api } = new URL(url);
  const sample = (name: string): string =>
    samplesOf('docs/guides/checkout.md')
      .find((one) => one.name.endsWith(name))!
      .text.replaceAll('https://pay.example', api);
  const file = (name: string, type: string): string => shop.serve(sample(name), { 'content-type': type });
  const [header, ...policy] = sample('http 1').trim().split(': ');
  const page = await world.visit(
    shop.serve(
      sample('html 1')
        .replace('PAYMENT_ID', payment.id)
        .replace('ACCESS_TOKEN', payment.access_token ?? '')
        .replace('"pay.css"', `"${file('css 1', 'text/css')}"`)
        .replace('"pay.js"', `"${file('js 4', 'text/javascript')}"`),
      { [header!]: policy.join(': ') },
    ),
    { wallets: [createTestWallet({ ...(await world.purse('USDC')), chains: [world.chain] })] },
  );
  await page.getByRole('button', { name: 'Test Wallet' }).click();
  const pay = page.getByRole('button', { name: /^Pay / });
  await pay.waitFor();
  expect(await styleOf(pay, 'backgroundColor')).toBe('rgb(10, 107, 94)');
  expect(parseFloat(await styleOf(page.locator('carat-pay [part=amount]'), 'letterSpacing'))).toBeGreaterThan(0);
  await pay.click();
  await eventually(async () => (await page.title()) === 'Thank you');
  expect((await world.shops.offered.reached(payment, 'completed')).status).toBe('completed');
});
