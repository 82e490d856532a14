import { ethers } from 'ethers';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Payment, PaymentRequest } from '../../../api/generated/openapi-types.ts';
import type { WalletChain } from '../../../tools/browser/account.ts';
import { createCaratClient } from '../../../client/client.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { launchChromium } from '../../../tools/browser/chromium.ts';
import { launchFirefox } from '../../../tools/browser/firefox.ts';
import { installWallets, type Finding, type InstalledWallet } from '../../../tools/browser/provider.ts';
import { rpc } from '../../../tools/stack/chain.ts';
import type { DealMode } from '../../../domain/payment.ts';
import { eventually } from '../../support/eventually.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { receiptOf } from './receipts.ts';
import { addTokens, giveCoins, giveTokens, type PayCurrency, type PaySymbol } from './tokens.ts';

/** An order of a shop, ready for its buyer. */
export interface Order {
  readonly payment: Payment;
  /** Address of its page. */
  readonly url: string;
}

/** What an order asks for. Default: 12.5 of the currency. */
export interface OrderOptions extends Partial<PaymentRequest> {
  readonly mode?: DealMode;
  readonly currency?: PaySymbol;
  /** The status to wait for; default: awaiting_payment. */
  readonly until?: Payment['status'];
}

/** How a buyer looks at a page. */
export interface VisitOptions extends BrowserContextOptions {
  readonly wallets?: readonly InstalledWallet[];
  readonly finding?: Finding;
  /** Lets the test move the clock of the page. */
  readonly clock?: boolean;
  /** Messages of the page's console that this test provokes. */
  readonly expected?: RegExp;
}

/** A key with coins and tokens. */
export interface Purse {
  readonly privateKey: string;
  readonly address: string;
}

/** The product, its shops, and a browser. */
export interface World {
  readonly product: Product;
  readonly browser: Browser;
  readonly shops: Readonly<Record<DealMode, Shop>>;
  readonly currencies: Readonly<Record<PaySymbol, PayCurrency>>;
  /** The chain alpha as wallets know it. */
  readonly chain: WalletChain;
  /** Creates an order, and waits until it can be paid. */
  order(options?: OrderOptions): Promise<Order>;
  /** Makes a key with 10 coins and, of the currency, 100 tokens. */
  purse(currency?: PaySymbol, tokens?: string, coins?: string): Promise<Purse>;
  /** Opens a page in a fresh context. */
  visit(url: string, options?: VisitOptions): Promise<Page>;
  /** JSON-RPC to the chain. */
  send(method: string, params?: unknown[]): Promise<unknown>;
  /** Balance of an account in base units of the currency. */
  balance(account: string, currency: PaySymbol): Promise<bigint>;
  /** Gives an account tokens, in whole tokens. */
  give(account: string, currency: PaySymbol, amount: string): Promise<void>;
  /** Lets the diamond of an order take base units of the currency from a key's account. */
  allow(purse: Pick<Purse, 'privateKey'>, order: Order, currency: PaySymbol, units: bigint): Promise<void>;
  /** Waits until the diamond of an order may take something from an account. */
  allowed(account: string, order: Order, currency: PaySymbol): Promise<void>;
  /** Waits until a transaction of an account waits for its block. */
  pending(account: string): Promise<void>;
  /** Lets pages of these origins frame the pages of the shops' node. */
  allowFrames(origins: readonly string[]): Promise<void>;
  /** Runs work while no block is mined. Afterwards there is one a second. */
  whileHalted(work: () => Promise<void>): Promise<void>;
  /** Ends the api with SIGKILL, and starts it again after `meanwhile`. */
  restartApi(meanwhile?: () => Promise<void>): Promise<void>;
  /** Closes the pages of a test. @throws Error when one of them had an error or called a foreign origin */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a payment and gives the address of its page. */
const orderOf = async (
  world: Pick<World, 'shops' | 'currencies'>,
  { mode = 'created', currency = 'USDC', until = 'awaiting_payment', ...more }: OrderOptions,
): Promise<Order> => {
  const shop = world.shops[mode];
  const { id } = world.currencies[currency];
  const price = currency === 'ETH' ? 0.125 : 12.5;
  const payment = await shop.create('alpha', { currency_id: id, price, paid_price: price, ...more });
  await shop.reached(payment, until);
  return { payment, url: payment.checkout_url! };
};

/** Pages of the present test, and what went wrong in them. */
const createVisits = (browser: Browser, isOwn: (origin: string) => boolean) => {
  let contexts: Awaited<ReturnType<Browser['newContext']>>[] = [];
  let problems: string[] = [];
  return {
    visit: async (
      url: string,
      { wallets = [], finding, expected, clock, ...options }: VisitOptions = {},
    ): Promise<Page> => {
      const context = await browser.newContext({ locale: 'en-US', ...options });
      context.setDefaultTimeout(20_000);
      contexts.push(context);
      await installWallets(context, wallets, finding);
      context.on('page', (page) => {
        page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
        page.on('console', (message) => {
          if (message.type() !== 'error' || expected?.test(message.text())) return;
          problems.push(`console: ${message.text()}`);
        });
      });
      context.on('request', (request) => {
        const { protocol, origin } = new URL(request.url());
        if (protocol.startsWith('http') && !isOwn(origin)) problems.push(`a request to ${origin}`);
      });
      const page = await context.newPage();
      if (clock) await page.clock.install();
      await page.goto(url);
      return page;
    },
    leave: async (): Promise<void> => {
      const [closing, seen] = [contexts, problems];
      [contexts, problems] = [[], []];
      await Promise.all(closing.map((context) => context.close()));
      if (seen.length > 0) throw new Error(`a page had problems: ${seen.join('; ')}`);
    },
  };
};

/** Options of the world. */
export interface WorldOptions {
  /** Settings of api and worker. */
  readonly environment?: Record<string, string>;
}

/** Starts the product with a shop for each deal mode, and a browser. */
export const openWorld = async ({ environment }: WorldOptions = {}): Promise<World> => {
  const product = await createProduct({ environment });
  const { rpc: url, eip155, id: networkId } = product.dev.networks.alpha!;
  const [browser, currencies] = await Promise.all([
    process.env.CARAT_BROWSER === 'firefox'
      ? launchFirefox()
      : launchChromium((line) => process.stderr.write(`${line}\n`)),
    addTokens(product),
  ]);
  let [api] = await Promise.all([product.startApi(), product.startWorker()]);
  const open = async (mode: DealMode): Promise<[DealMode, Shop]> => {
    const shop = await openShop(product);
    await shop.deployed('alpha');
    if (mode === 'offered') await shop.merchant.offerDeals(shop.wallet.id, networkId);
    return [mode, shop];
  };
  const modes = await Promise.all([open('created'), open('offered')]);
  const shops = Object.fromEntries(modes) as Record<DealMode, Shop>;
  // Shops of the tests are servers of this machine, too.
  const visits = createVisits(browser, (origin) => new URL(origin).hostname === '127.0.0.1');
  const send = (method: string, params: unknown[] = []): Promise<unknown> => rpc(url, method, params);
  return {
    product,
    browser,
    shops,
    currencies,
    chain: { eip155, rpc: url },
    order: (options = {}) => orderOf({ shops, currencies }, options),
    purse: async (currency = 'ETH', tokens = '100', coins = '10') => {
      const { address, privateKey } = ethers.Wallet.createRandom();
      await giveCoins(url, address, coins);
      if (currency !== 'ETH') await giveTokens(url, address, currencies[currency], tokens);
      return { address, privateKey };
    },
    ...visits,
    send,
    balance: (account, currency) => shops.created.buyers.alpha!.balance(currencies[currency].token, account),
    allowFrames: async (origins) => {
      const { admin, api: origin, nodes } = product.dev;
      const carat = createCaratClient({ url: origin, apiKey: admin.api_key, secret: admin.secret });
      await carat.setBranding(nodes.merchant!, { frame_origins: [...origins] });
    },
    give: (account, currency, amount) => giveTokens(url, account, currencies[currency], amount),
    allow: async ({ privateKey }, { payment }, currency, units) => {
      const provider = new ethers.JsonRpcProvider(url, eip155, { staticNetwork: true, cacheTimeout: -1 });
      const data = contracts.testToken.interface.encodeFunctionData('approve', [payment.diamond_address, units]);
      const signer = new ethers.Wallet(privateKey, provider);
      const { hash } = await signer.sendTransaction({ to: currencies[currency].token, data });
      await receiptOf(url, hash);
      provider.destroy();
    },
    allowed: async (account, { payment }, currency) => {
      const token = contracts.testToken.interface;
      const data = token.encodeFunctionData('allowance', [account, payment.diamond_address]);
      const call = [{ to: currencies[currency].token, data }, 'latest'];
      await eventually(async () => BigInt((await send('eth_call', call)) as string) > 0n);
    },
    pending: async (account) => {
      const count = async (block: string) => Number(await send('eth_getTransactionCount', [account, block]));
      await eventually(async () => (await count('pending')) > (await count('latest')));
    },
    whileHalted: async (work) => {
      await send('evm_setIntervalMining', [0]);
      try {
        await work();
      } finally {
        await send('anvil_mine', []);
        await send('evm_setIntervalMining', [1]);
      }
    },
    restartApi: async (meanwhile) => {
      process.kill(api.pid, 'SIGKILL');
      await api.exited;
      await meanwhile?.();
      api = await product.startApi();
    },
    close: async () => {
      await browser.close();
      for (const shop of Object.values(shops)) shop.close();
      await product.stop();
    },
  };
};
