import { ethers } from 'ethers';
import { launchChromium } from '../browser/chromium.ts';
import { createBrowserBuyer, createBuyer } from './buyer.ts';
import { createMerchant, deployed } from './merchant.ts';
import { startReceiver } from './receiver.ts';
import { createPayment, reached, told, runStories, type Shop } from './shop.ts';
import { requireRunningStack } from '../running-stack.ts';

/*
 * npm run demo [-- --browser]
 *
 * Carat's main job, as a merchant and a buyer see it, on the stack of `npm start`, through HTTP and RPC only: a wallet
 * whose deals are created and one whose deals are offered, both on two networks. With each of them on each network, a payment
 * in a token of 6 decimals, one of 18 decimals and the native coin, a cancel, an expiry and a retry. The merchant's server
 * receives webhooks for all of it and verifies their signatures. With `--browser` the buyer pays these payments on their
 * pages, in a headless browser with a wallet.
 */

/** Amounts of the payments, as the merchant writes them. */
const amounts: Record<string, number> = { USDC: 12.5, DAI: 123456.789, ETH: 0.1 };

const started = Date.now();
const say = (line: string): void => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);

const inBrowser = process.argv.includes('--browser');
const dev = requireRunningStack();
const historyOf = (id: string): string =>
  `${dev.temporal.ui}/namespaces/${dev.temporal.namespace}/workflows?query=${encodeURIComponent(`PaymentIds="${id}"`)}`;

/** Takes one payment from the POST to `completed`. */
const payOnce = async (shop: Shop, symbol: string): Promise<void> => {
  const { buyer, network, pay } = shop;
  const token = dev.currencies[symbol]!.tokens[network]!;
  const label = `${amounts[symbol]} ${symbol} on ${network}, ${shop.mode}`;
  const created = await createPayment(shop, symbol, amounts[symbol]!);
  const payee = created.payment_address;
  say(`${label}: created, payment ${created.id}`);
  say(`${label}: history at ${historyOf(created.id)}`);
  const ready = await reached(shop, created.id, label, 'awaiting_payment');
  const { transaction_hash: creation } = ready;
  say(`${label}: the deal is ${creation === null ? 'offered' : `confirmed in transaction ${creation}`}`);
  const hash = await pay(created);
  say(`${label}: the buyer paid ${inBrowser ? 'on the page, ' : ''}in transaction ${hash}`);
  const completed = await reached(shop, created.id, label, 'completed');
  const due = ethers.parseUnits(String(amounts[symbol]), token.decimals);
  const received = await buyer.balance(token.address, payee);
  const kept = await buyer.balance(token.address, completed.diamond_address!);
  if (completed.transaction_hash !== hash) throw new Error(`${label}: completed by ${completed.transaction_hash}`);
  if (received !== due) throw new Error(`${label}: the payee got ${received} base units, not ${due}`);
  if (kept !== 0n) throw new Error(`${label}: the diamond holds ${kept} base units`);
  const story = await told(shop, created.id, label, 'payment.completed');
  say(`${label}: completed, the payee got exactly ${due} base units (${story})`);
};

/** Runs everything with one wallet on one network, in sequence. */
const runNetwork = async (shop: Shop): Promise<number> => {
  const { merchant, receiver, network, walletId, mode } = shop;
  const { id: networkId } = dev.networks[network]!;
  const deployment = await deployed(merchant, walletId, { network, networkId, mode });
  say(
    `${network}: the diamond of the wallet with ${mode} deals is deployed (step ${deployment.step}, ${deployment.transaction_id})`,
  );
  receiver.trust((await merchant.createWebhook(walletId, networkId, receiver.origin)).signing_secret);
  for (const symbol of Object.keys(amounts)) await payOnce(shop, symbol);
  await runStories(shop);
  return Object.keys(amounts).length;
};

const receiver = await startReceiver();
const browser = inBrowser ? await launchChromium(say) : null;
const networks = Object.entries(dev.networks);
const buyers = networks.map(([name, network]) => [name, createBuyer(dev, network)] as const);
try {
  const merchant = createMerchant(dev);
  const visitors = await Promise.all(
    networks.map(
      async ([name, network]) => [name, browser && (await createBrowserBuyer(browser, dev, network))] as const,
    ),
  );
  const visitorOn = Object.fromEntries(visitors);
  say(`webhooks arrive at ${receiver.origin}`);
  const runs: Promise<number>[] = [];
  for (const mode of ['created', 'offered'] as const) {
    const { id, address } = await merchant.createWallet(`Demo shop ${new Date(started).toISOString()}, ${mode} deals`);
    say(`wallet ${id}, ${mode} deals: its diamond will be at ${address} on every network`);
    for (const [network, buyer] of buyers) {
      const pay: Shop['pay'] = async (payment) =>
        visitorOn[network]?.pay(payment) ?? buyer.pay(await merchant.widget(payment));
      runs.push(runNetwork({ dev, merchant, buyer, pay, receiver, network, walletId: id, mode, say }));
    }
  }
  const completed = (await Promise.all(runs)).reduce((sum, count) => sum + count, 0);
  say(`${completed} payments completed, and one canceled and one expired with each wallet on each network`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const [, buyer] of buyers) buyer.close();
  await browser?.close();
  receiver.close();
}
