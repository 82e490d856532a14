import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { createAccount } from '../browser/account.ts';
import { launchChromium } from '../browser/chromium.ts';
import { installWallets } from '../browser/provider.ts';
import { devAccounts } from '../stack/accounts.ts';
import { quantile } from './interleave.ts';
import { startProductStack } from './product-stack.ts';
import { activeWallet, apiClient, orderOf } from './shop.ts';

/*
 * npm run bench:page-load [-- ROUNDS]
 *
 * Bytes, requests and time until a buyer can press the button that pays, on a slow connection. Method and figures:
 * tools/bench/README.md.
 */

const rounds = Number(process.argv[2] ?? 12);
/** 1.6 Mbit/s in both directions, and a round trip of 150 ms. */
const slow = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };

interface Load {
  /** Bytes of all answers as transferred, with their headers. */
  readonly bytes: number;
  readonly requests: number;
  /** Milliseconds until a wallet can be chosen. */
  readonly wallets: number;
  /** Milliseconds until the button that pays can be pressed; the buyer takes no time to choose. */
  readonly button: number;
}

/** Counts the bytes that a page receives; a stream counts as its headers and first event. */
const countBytes = async (session: CDPSession) => {
  const requests = new Set<string>();
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.startsWith('http')) requests.add(requestId);
  });
  session.on('Network.responseReceived', ({ response }) => void (bytes += response.encodedDataLength));
  session.on('Network.dataReceived', ({ encodedDataLength }) => void (bytes += encodedDataLength));
  await session.send('Network.enable');
  return () => ({ bytes, requests: requests.size });
};

const stack = await startProductStack({ blockTime: 1 });
const browser = await launchChromium(console.log);
try {
  const { call, token } = await apiClient(stack);
  const shopWallet = await activeWallet(call, await token(), stack.catalogue);
  /** Creates an order and resolves to the address of its page, once it can be paid. */
  const order = async (): Promise<string> => {
    const bearer = await token();
    const body = orderOf(stack, shopWallet.id, devAccounts.root.address);
    const { id, checkout_url: url } = await call<Payment>('POST', '/api/v1/payments', bearer, body);
    while ((await call<Payment>('GET', `/api/v1/payments/${id}`, bearer)).status !== 'awaiting_payment')
      await delay(100);
    return url!;
  };
  const account = createAccount({
    privateKey: devAccounts.buyer.privateKey,
    chains: [{ eip155: stack.chain.chainId, rpc: stack.chain.url }],
  });

  /** @param warm the page was opened before in the same browser */
  const load = async (page: Page, url: string): Promise<Load> => {
    const session = await page.context().newCDPSession(page);
    const counted = await countBytes(session);
    await session.send('Network.emulateNetworkConditions', slow);
    const started = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    const wallet = page.getByRole('button', { name: 'Wallet', exact: true });
    await wallet.waitFor();
    const wallets = performance.now() - started;
    await wallet.click();
    await page.getByRole('button', { name: /^Pay \d/ }).waitFor();
    const button = performance.now() - started;
    return { ...counted(), wallets, button };
  };

  const runs: Record<'first' | 'second', Load[]> = { first: [], second: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const url = await order();
    const context = await browser.newContext({ locale: 'en-US' });
    await installWallets(context, [account]);
    for (const kind of ['first', 'second'] as const) {
      const page = await context.newPage();
      const result = await load(page, url);
      // The first round warms up.
      if (round > 0) runs[kind].push(result);
      await page.close();
    }
    await context.close();
  }
  console.log('| visit | bytes | requests | wallets shown, ms | pay button, ms |\n|---|---|---|---|---|');
  for (const [kind, loads] of Object.entries(runs)) {
    const of = (key: keyof Load): string =>
      String(
        Math.round(
          quantile(
            loads.map((one) => one[key]),
            0.5,
          ),
        ),
      );
    console.log(`| ${kind} | ${of('bytes')} | ${of('requests')} | ${of('wallets')} | ${of('button')} |`);
  }
} finally {
  await browser.close();
  await stack.stop();
}
