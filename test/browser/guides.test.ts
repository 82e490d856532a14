import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import { createCaratClient } from '../../client/client.ts';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { eventually } from '../support/eventually.ts';
import { createTestWallet } from './support/wallet.ts';
import { payPage } from './support/pay-page.ts';
import { openEmbedding, type Embedding } from './support/embedding.ts';
import { openWorld, type World } from './support/world.ts';
import { samplesOf } from '../support/samples.ts';

/* The samples of docs/guides/checkout.md as a merchant's own page, and the example shop. */

let world: World;
let shop: Embedding;

beforeAll(async () => {
  [world, shop] = await Promise.all([openWorld(), openEmbedding()]);
});

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

it('the page of the guide shows the element in its own look, and gets the paid event, under the policy of the guide', async () => {
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

const run = promisify(execFile);

/** Starts the example shop beside the product, with the client as a shop installs it. */
const startShop = async () => {
  const { api, admin, nodes, networks } = world.product.dev;
  const { id: networkId } = networks.alpha!;
  const { id: walletId } = world.shops.offered.wallet;
  const folder = fs.mkdtempSync(path.join(path.dirname(world.product.logs), 'shop-'));
  fs.cpSync(path.join(root, 'client/example'), folder, { recursive: true });
  await run(process.execPath, ['tools/build/build-client.ts', path.join(folder, 'node_modules/carat-client')], {
    cwd: root,
  });
  const [port] = await freePorts(1);
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    CARAT_URL: api,
    CARAT_API_KEY: admin.api_key,
    CARAT_SECRET: admin.secret,
    CARAT_NODE: nodes.merchant,
    CARAT_NETWORK: networkId,
    CARAT_WALLET: walletId,
    CARAT_CURRENCY: world.currencies.USDC.id,
    CARAT_PAYEE: '0x00000000000000000000000000000000000C0DE1',
    SHOP_URL: origin,
  };
  const { stdout } = await run(process.execPath, ['webhook.js'], { cwd: folder, env });
  const secret = stdout.trim().replace('CARAT_WEBHOOK_SECRET=', '');
  const child = spawn(process.execPath, ['shop.js'], { cwd: folder, env: { ...env, CARAT_WEBHOOK_SECRET: secret } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually(() => output.includes('The shop is at'));
  const carat = createCaratClient({ url: api, apiKey: admin.api_key, secret: admin.secret });
  return {
    origin,
    /** What it has shipped. */
    shipped: () => output.split('\n').filter((line) => line.startsWith('Shipped:')),
    /** Sends the event that a payment is complete again, until the shop has taken it this often. */
    tellUntil: async (times: number): Promise<void> => {
      const webhooks = (await carat.listWebhooks({ wallet_id: walletId })).items;
      const { id } = webhooks.find(({ host }) => host === origin)!;
      const [delivery] = (await carat.listDeliveries(id, { type: 'payment.completed' })).items;
      await carat.redeliver(id, delivery!.id);
      await eventually(async () => {
        const { tries } = await carat.getDelivery(id, delivery!.id);
        return tries.filter(({ status }) => status === 204).length === times;
      });
    },
    stop: async (): Promise<void> => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
    },
  };
};

it('the example shop sells in the browser, and ships once though the webhook comes three times', async () => {
  const example = await startShop();
  try {
    const buyer = createTestWallet({ ...(await world.purse('USDC')), chains: [world.chain] });
    const page = await world.visit(example.origin, { wallets: [buyer] });
    await page.getByRole('button', { name: 'Buy for 4.5 USD' }).click();
    await page.getByText('Shipped as soon as it is paid').waitFor();
    const element = payPage(page);
    await element.connect();
    await element.pay();
    await element.paid();
    await page.getByRole('link', { name: 'Back to the shop' }).click();
    await eventually(async () => {
      await page.reload();
      return page.getByText(/^Shipped on/).isVisible();
    });
    await example.tellUntil(2);
    await example.tellUntil(3);
    expect(example.shipped()).toHaveLength(1);
  } finally {
    await example.stop();
  }
});
