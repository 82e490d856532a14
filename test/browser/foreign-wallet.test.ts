import { injectHeadlessWeb3Provider, Web3RequestKind } from '@ensdomains/headless-web3-provider';
import { ethers } from 'ethers';
import type { Page } from 'playwright-core';
import { defineChain, type Chain, type Hex } from 'viem';
import { eventually } from '../support/eventually.ts';
import { payPage, sentences } from './support/pay-page.ts';
import type { PaySymbol } from './support/tokens.ts';
import { openWorld, type Order, type World } from './support/world.ts';

/* A wallet by other authors, because the page must not fit our own test wallet only. */

let world: World;

beforeAll(async () => {
  world = await openWorld();
});

afterEach(() => world.leave());

afterAll(() => world?.close());

const chainOf = (id: number, name: string): Chain =>
  defineChain({
    id,
    name,
    nativeCurrency: { name: 'coin', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [world.chain.rpc] } },
  });

type Foreign = Awaited<ReturnType<typeof injectHeadlessWeb3Provider>>;

/** Opens the page of an order beside the wallet. */
const open = async (
  order: Order,
  currency: PaySymbol,
  others: readonly Chain[] = [],
): Promise<{ page: ReturnType<typeof payPage>; wallet: Foreign; payer: string }> => {
  const { privateKey, address } = await world.purse(currency);
  const visited = await world.visit('about:blank');
  const chains = [...others, chainOf(world.chain.eip155, 'alpha')];
  const page = visited as Page;
  const wallet = await injectHeadlessWeb3Provider({ page: page as never, privateKeys: [privateKey as Hex], chains });
  await visited.goto(order.url);
  return { page: payPage(visited), wallet, payer: address };
};

/** Waits until the wallet is asked for this. */
const asked = (wallet: Foreign, kind: Web3RequestKind): Promise<unknown> =>
  eventually(() => wallet.getPendingRequestCount(kind) > 0);

const allow = async (wallet: Foreign, kind: Web3RequestKind): Promise<void> => {
  await asked(wallet, kind);
  await wallet.authorize(kind);
};

const connect = async (page: ReturnType<typeof payPage>, wallet: Foreign): Promise<void> => {
  await page.button(/Headless|Wallet of this browser/).click();
  await allow(wallet, Web3RequestKind.RequestAccounts);
  await page.says(sentences.ready);
};

const expectPaid = async ({ payment }: Order, currency: PaySymbol, payer: string): Promise<void> => {
  const completed = await world.shops.created.reached(payment, 'completed');
  expect(completed.payer).toBe(payer);
  const amount = ethers.parseUnits(currency === 'ETH' ? '0.125' : '12.5', world.currencies[currency].decimals);
  expect(await world.balance(payment.payment_address, currency)).toBe(amount);
};

it('a token is approved and paid', async () => {
  const order = await world.order({ currency: 'USDC' });
  const { page, wallet, payer } = await open(order, 'USDC');
  await connect(page, wallet);
  await page.pay();
  await allow(wallet, Web3RequestKind.SendTransaction);
  await allow(wallet, Web3RequestKind.SendTransaction);
  await page.paid();
  await expectPaid(order, 'USDC', payer);
});

it('a permit is signed and paid with', async () => {
  const order = await world.order({ currency: 'DAI', mode: 'offered' });
  const { page, wallet, payer } = await open(order, 'DAI');
  await connect(page, wallet);
  await page.pay();
  await allow(wallet, Web3RequestKind.SignTypedDataV4);
  await allow(wallet, Web3RequestKind.SendTransaction);
  await page.paid();
  await expectPaid(order, 'DAI', payer);
});

it('native coins are paid', async () => {
  const order = await world.order({ currency: 'ETH', mode: 'offered' });
  const { page, wallet, payer } = await open(order, 'ETH');
  await connect(page, wallet);
  await page.pay();
  await allow(wallet, Web3RequestKind.SendTransaction);
  await page.paid();
  await expectPaid(order, 'ETH', payer);
});

it('a rejected payment is resumed', async () => {
  const order = await world.order({ currency: 'ETH' });
  const { page, wallet, payer } = await open(order, 'ETH');
  await connect(page, wallet);
  await page.pay();
  await asked(wallet, Web3RequestKind.SendTransaction);
  await wallet.reject(Web3RequestKind.SendTransaction);
  await page.says(sentences.rejected);
  await page.press('Try again');
  await allow(wallet, Web3RequestKind.SendTransaction);
  await page.paid();
  await expectPaid(order, 'ETH', payer);
});

it('the network is switched', async () => {
  const order = await world.order({ currency: 'ETH' });
  const { page, wallet, payer } = await open(order, 'ETH', [chainOf(1, 'other')]);
  await connect(page, wallet);
  await page.pay();
  await allow(wallet, Web3RequestKind.SwitchEthereumChain);
  await allow(wallet, Web3RequestKind.SendTransaction);
  await page.paid();
  await expectPaid(order, 'ETH', payer);
});
