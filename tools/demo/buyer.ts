import { ethers } from 'ethers';
import type { Browser } from 'playwright-core';
import type { WidgetPayment, Payment } from '../../api/generated/openapi-types.ts';
import { createAccount } from '../browser/account.ts';
import { installWallets } from '../browser/provider.ts';
import type { DevStack } from '../stack/dev-file.ts';
import { patiently } from './patiently.ts';

const tokenAbi = [
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
];

/** A buyer on one network. */
export interface Buyer {
  /** Makes the call of the widget's data; resolves to the hash of the mined transaction. */
  pay(data: WidgetPayment): Promise<string>;
  /** Balance of an account in base units of a token, or in wei (null). */
  balance(token: string | null, account: string): Promise<bigint>;
  close(): void;
}

/** Creates a buyer with a wallet of their own, who knows only the widget's data and an RPC endpoint. */
export const createBuyer = (dev: DevStack, network: DevStack['networks'][string]): Buyer => {
  const provider = new ethers.JsonRpcProvider(network.rpc, network.eip155, { staticNetwork: true, cacheTimeout: -1 });
  provider.pollingInterval = 200;
  const wallet = new ethers.Wallet(dev.buyer.private_key, provider);

  const mined = async (response: ethers.TransactionResponse): Promise<string> => {
    const receipt = await response.wait();
    if (receipt?.status !== 1) throw new Error(`transaction ${response.hash} failed`);
    return receipt.hash;
  };

  const payNow = async (data: WidgetPayment): Promise<string> => {
    if (data.token_address !== null) {
      const token = new ethers.Contract(data.token_address, tokenAbi, wallet);
      await mined(await token.getFunction('approve')(data.diamond_address, data.amount));
    }
    const { abi, function_name: name, arguments: args, value } = data.contract;
    const diamond = new ethers.Contract(data.diamond_address, abi as unknown as ethers.InterfaceAbi, wallet);
    return mined(await diamond.getFunction(name)(...args, { value }));
  };
  let last: Promise<unknown> = Promise.resolve();

  return {
    // One after the other, because all of them use the nonces of one account.
    pay: (data) => {
      const paid = last.then(() => payNow(data));
      last = paid.catch(() => undefined);
      return paid;
    },
    balance: (token, account) =>
      patiently(`balance of ${account}`, () =>
        token === null
          ? provider.getBalance(account)
          : (new ethers.Contract(token, tokenAbi, provider).getFunction('balanceOf')(account) as Promise<bigint>),
      ),
    close: () => provider.destroy(),
  };
};

/** Milliseconds for which a page may take to say the next sentence: as long as any wait of the demo. */
const PATIENCE_MS = 120_000;
const WALLET = 'Demo Wallet';

/** A buyer who opens the page of a payment in a browser with a wallet, and presses the buttons. */
interface BrowserBuyer {
  /** Pays on the page at `checkout_url`, until the page says that it is paid; resolves to the hash of the transaction. */
  pay(payment: Pick<Payment, 'checkout_url'>): Promise<string>;
  close(): Promise<void>;
}

/** Creates a buyer on one network of the local stack. */
export const createBrowserBuyer = async (
  browser: Browser,
  dev: Pick<DevStack, 'buyer'>,
  { eip155, rpc }: DevStack['networks'][string],
): Promise<BrowserBuyer> => {
  const account = createAccount({ name: WALLET, privateKey: dev.buyer.private_key, chains: [{ eip155, rpc }] });
  /** The hash of the newest transaction. */
  let sent = '';
  const wallet = {
    ...account,
    handle: async (...request: Parameters<typeof account.handle>): Promise<unknown> => {
      const answer = await account.handle(...request);
      if (request[0].method === 'eth_sendTransaction') sent = answer as string;
      return answer;
    },
  };
  const context = await browser.newContext({ locale: 'en-US' });
  context.setDefaultTimeout(PATIENCE_MS);
  await installWallets(context, [wallet]);

  const payNow = async ({ checkout_url: url }: Pick<Payment, 'checkout_url'>): Promise<string> => {
    const page = await context.newPage();
    try {
      await page.goto(url ?? '');
      await page.getByRole('button', { name: WALLET }).click();
      await page.getByRole('button', { name: /^Pay / }).click();
      await page.getByRole('status').filter({ hasText: 'Paid. Thank you!' }).waitFor();
      return sent;
    } catch (error) {
      const said = await page.getByRole('status').allInnerTexts();
      throw new Error(`the page says "${said.join(' | ')}"`, { cause: error });
    } finally {
      await page.close();
    }
  };
  let last: Promise<unknown> = Promise.resolve();

  return {
    // One after the other, because all of them use the nonces of one account.
    pay: (payment) => {
      const paid = last.then(() => payNow(payment));
      last = paid.catch(() => undefined);
      return paid;
    },
    close: () => context.close(),
  };
};
