import { ethers } from 'ethers';
import { dealModes } from '../../domain/payment.ts';
import { payPage } from './support/pay-page.ts';
import { batchCode, type PaySymbol } from './support/tokens.ts';
import { createBatchWallet, createContractWallet, createTestWallet, type TestWallet } from './support/wallet.ts';
import { openWorld, type Order, type World } from './support/world.ts';

/* Every way to pay, in both deal modes. */

let world: World;

beforeAll(async () => {
  world = await openWorld();
});

afterEach(() => world.leave());

afterAll(() => world?.close());

const due: Record<PaySymbol, bigint> = {
  ETH: ethers.parseEther('0.125'),
  USDC: 12_500_000n,
  DAI: ethers.parseEther('12.5'),
  USDT: 12_500_000n,
};

/** The payment is completed by this wallet's account, and the payee has what is due, to the unit. */
const expectPaid = async ({ payment }: Order, currency: PaySymbol, payer: string): Promise<void> => {
  const completed = await world.shops.created.reached(payment, 'completed');
  expect(completed.payer).toBe(payer);
  expect(await world.balance(payment.payment_address, currency)).toBe(due[currency]);
};

/** The requested methods that the owner of the wallet sees, in order. */
const questions = (wallet: TestWallet): string[] =>
  wallet.log
    .map(({ method }) => method)
    .filter((method) => /^(eth_send|eth_sign|eth_request|wallet_(send|switch|add))/.test(method));

describe.each(dealModes)('%s deals', (mode) => {
  it('a token is approved and paid', async () => {
    const order = await world.order({ mode, currency: 'USDC' });
    const wallet = createTestWallet({ ...(await world.purse('USDC')), chains: [world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'USDC', wallet.address);
    expect(questions(wallet)).toEqual(['eth_requestAccounts', 'eth_sendTransaction', 'eth_sendTransaction']);
  });

  it('a token with a permit is signed and paid by one transaction', async () => {
    const order = await world.order({ mode, currency: 'DAI' });
    const wallet = createTestWallet({ ...(await world.purse('DAI')), chains: [world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'DAI', wallet.address);
    expect(questions(wallet)).toEqual(['eth_requestAccounts', 'eth_signTypedData_v4', 'eth_sendTransaction']);
  });

  it('a token that refuses to change an allowance has the old one set to zero first', async () => {
    const order = await world.order({ mode, currency: 'USDT' });
    const purse = await world.purse('USDT');
    await world.allow(purse, order, 'USDT', 1n);
    const wallet = createTestWallet({ ...purse, chains: [world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'USDT', wallet.address);
    expect(wallet.sends()).toHaveLength(3);
  });

  it('a left-over allowance that suffices is used', async () => {
    const order = await world.order({ mode, currency: 'USDC' });
    const purse = await world.purse('USDC');
    await world.allow(purse, order, 'USDC', due.USDC);
    const wallet = createTestWallet({ ...purse, chains: [world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'USDC', wallet.address);
    expect(wallet.sends()).toHaveLength(1);
  });

  it('a left-over allowance that is too small is replaced', async () => {
    const order = await world.order({ mode, currency: 'USDC' });
    const purse = await world.purse('USDC');
    await world.allow(purse, order, 'USDC', due.USDC - 1n);
    const wallet = createTestWallet({ ...purse, chains: [world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'USDC', wallet.address);
    expect(wallet.sends()).toHaveLength(2);
  });

  it('native coins are paid by one transaction', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = createTestWallet({ ...(await world.purse()), chains: [world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'ETH', wallet.address);
    expect(questions(wallet)).toEqual(['eth_requestAccounts', 'eth_sendTransaction']);
  });

  it('a wallet whose batches are atomic is asked once', async () => {
    const order = await world.order({ mode, currency: 'USDT' });
    const purse = await world.purse('USDT');
    const wallet = await createBatchWallet({ ...purse, chains: [world.chain], atomic: 'supported' }, batchCode());
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'USDT', wallet.address);
    expect(questions(wallet)).toEqual(['eth_requestAccounts', 'wallet_sendCalls']);
  });

  // A wallet whose batches are "ready" would ask its owner to change the account first.
  it.each(['ready', 'unsupported'] as const)('a wallet whose batches are %s is asked step by step', async (atomic) => {
    const order = await world.order({ mode, currency: 'USDC' });
    const purse = await world.purse('USDC');
    const wallet = await createBatchWallet({ ...purse, chains: [world.chain], atomic }, batchCode());
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'USDC', wallet.address);
    expect(questions(wallet)).toEqual(['eth_requestAccounts', 'eth_sendTransaction', 'eth_sendTransaction']);
  });

  it('a contract wallet pays minutes after its response with a hash that is no transaction', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = await createContractWallet({ ...(await world.purse()), chains: [world.chain] }, batchCode());
    await world.send('anvil_setBalance', [wallet.address, ethers.toBeHex(ethers.parseEther('1'))]);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says('Your wallet has sent the payment.');
    await world.send('anvil_mine', [100]);
    expect(await page.button(/^Pay/).count()).toBe(0);
    await wallet.sign();
    await page.paid();
    await expectPaid(order, 'ETH', wallet.address);
    expect(wallet.sends()).toHaveLength(1);
  });

  it('a wallet on another network is switched first', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const other = { eip155: 1, rpc: world.chain.rpc };
    const wallet = createTestWallet({ ...(await world.purse()), chains: [other, world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'ETH', wallet.address);
    expect(questions(wallet)).toEqual(['eth_requestAccounts', 'wallet_switchEthereumChain', 'eth_sendTransaction']);
  });

  it('a wallet that does not know the network adds it', async () => {
    const order = await world.order({ mode, currency: 'ETH' });
    const wallet = createTestWallet({
      ...(await world.purse()),
      chains: [{ eip155: 1, rpc: world.chain.rpc }],
    });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaid(order, 'ETH', wallet.address);
    const [added] = wallet.asked('wallet_addEthereumChain');
    expect(added!.params).toEqual([
      expect.objectContaining({
        chainId: ethers.toQuantity(world.chain.eip155),
        chainName: 'alpha',
        rpcUrls: [world.chain.rpc],
        nativeCurrency: { name: 'ETH', symbol: 'ETH', decimals: 18 },
      }),
    ]);
  });
});

it('with two wallets, only the chosen one is asked', async () => {
  const order = await world.order({ currency: 'ETH' });
  const [one, other] = ['Fox', 'Rabbit'].map((name) => createTestWallet({ name, chains: [world.chain] }));
  await world.send('anvil_setBalance', [other!.address, ethers.toBeHex(ethers.parseEther('1'))]);
  const page = payPage(await world.visit(order.url, { wallets: [one!, other!] }));
  await page.button('Fox').waitFor();
  await page.connect('Rabbit');
  await page.pay();
  await page.paid();
  await expectPaid(order, 'ETH', other!.address);
  expect(questions(one!)).toEqual([]);
});

it('a wallet that only sets window.ethereum is found', async () => {
  const order = await world.order({ currency: 'ETH' });
  const wallet = createTestWallet({ ...(await world.purse()), chains: [world.chain] });
  const page = payPage(await world.visit(order.url, { wallets: [wallet], finding: { announced: false } }));
  await page.connect('Wallet of this browser');
  await page.pay();
  await page.paid();
  await expectPaid(order, 'ETH', wallet.address);
});

it('without a wallet the page says so, shows a code of its own address, and shows the payment by another device', async () => {
  const order = await world.order({ currency: 'ETH' });
  const visited = await world.visit(order.url);
  const page = payPage(visited);
  await visited.getByText('No wallet was found in this browser.').waitFor();
  await visited.getByText('Pay on another device').click();
  await visited.getByRole('img', { name: "QR code of this page's address" }).waitFor();
  await page.button('Copy the link to this page').waitFor();
  await world.shops.created.pay('alpha', order.payment);
  await page.paid();
  expect((await world.shops.created.merchant.payment(order.payment.id)).status).toBe('completed');
});
