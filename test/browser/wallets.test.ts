import { ethers } from 'ethers';
import type { Page } from 'playwright-core';
import { contracts } from '../../chain/pure/contracts.ts';
import { eventually } from '../support/eventually.ts';
import { openEmbedding, type Embedding } from './support/embedding.ts';
import { batchCode } from './support/tokens.ts';
import { createBatchWallet, createContractWallet, createTestWallet, hold, ignore, reject } from './support/wallet.ts';
import { openWorld, type World } from './support/world.ts';

/*
 * The wallets of these tests are as real as wallets without an extension can be: their transactions are on the chain,
 * and refused ones are not.
 */

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

/** The globals of a page with a wallet. */
interface Globals {
  ethereum: { request(request: object): Promise<unknown>; on(event: string, heard: (value: unknown) => void): void };
}

const ask = (page: Page, method: string, params: unknown[] = []): Promise<unknown> =>
  page.evaluate(
    ([name, values]) =>
      (globalThis as unknown as Globals).ethereum.request({ method: name, params: values }).catch((error: unknown) => {
        const { code, message } = error as { code: number; message: string };
        return { code, message };
      }),
    [method, params] as const,
  );

const blank = (): string => embedding.serve('<!doctype html><title>blank</title>');

it('a test wallet asks, refuses and sends once, and counts its requests', async () => {
  const purse = await world.purse();
  const wallet = createTestWallet({ ...purse, chains: [world.chain] });
  const page = await world.visit(blank(), { wallets: [wallet] });
  const to = ethers.Wallet.createRandom().address;
  const tx = { from: wallet.address, to, value: '0x5' };
  expect(await ask(page, 'eth_accounts')).toEqual([]);
  expect(await ask(page, 'eth_sendTransaction', [tx])).toMatchObject({ code: 4100 });
  expect(await ask(page, 'eth_requestAccounts')).toEqual([wallet.address.toLowerCase()]);
  wallet.next('eth_sendTransaction', reject);
  expect(await ask(page, 'eth_sendTransaction', [tx])).toMatchObject({ code: 4001 });
  const held = hold();
  wallet.next('eth_sendTransaction', held.behaviour, ignore);
  const sending = ask(page, 'eth_sendTransaction', [tx]);
  await held.asked;
  expect(await world.balance(to, 'ETH')).toBe(0n);
  held.release();
  expect(await sending).toMatch(/^0x[0-9a-f]{64}$/);
  await eventually(async () => (await world.balance(to, 'ETH')) === 5n);
  expect(wallet.sends()).toHaveLength(3);
});

it('a test wallet on a network that it does not know learns it from the page', async () => {
  const purse = await world.purse();
  const wallet = createTestWallet({ ...purse, chains: [{ eip155: 1, rpc: world.chain.rpc }] });
  const page = await world.visit(blank(), { wallets: [wallet] });
  await page.evaluate(() => {
    (globalThis as unknown as Globals).ethereum.on('chainChanged', (id) => {
      (globalThis as unknown as { heard: unknown }).heard = id;
    });
  });
  const chainId = `0x${world.chain.eip155.toString(16)}`;
  expect(await ask(page, 'wallet_switchEthereumChain', [{ chainId }])).toMatchObject({ code: 4902 });
  expect(await ask(page, 'wallet_addEthereumChain', [{ chainId, rpcUrls: [world.chain.rpc] }])).toBeNull();
  expect(await ask(page, 'eth_chainId')).toBe(chainId);
  expect(await page.evaluate(() => (globalThis as unknown as { heard: unknown }).heard)).toBe(chainId);
});

it('a batch of a test wallet is one transaction, or none', async () => {
  const purse = await world.purse('USDC');
  const wallet = await createBatchWallet({ ...purse, chains: [world.chain], atomic: 'supported' }, batchCode());
  const page = await world.visit(blank(), { wallets: [wallet] });
  await ask(page, 'eth_requestAccounts');
  const chainId = `0x${world.chain.eip155.toString(16)}`;
  const to = ethers.Wallet.createRandom().address;
  const data = (amount: bigint) => contracts.testToken.interface.encodeFunctionData('transfer', [to, amount]);
  const usdc = world.currencies.USDC.token!;
  const batch = async (...amounts: bigint[]): Promise<unknown> => {
    const calls = amounts.map((amount) => ({ to: usdc, data: data(amount) }));
    const { id } = (await ask(page, 'wallet_sendCalls', [
      { version: '2.0.0', from: wallet.address, chainId, atomicRequired: true, calls },
    ])) as { id: string };
    return eventually(async () => {
      const { status } = (await ask(page, 'wallet_getCallsStatus', [id])) as { status: number };
      return status !== 100 && status;
    });
  };
  expect(await batch(1n, 2n)).toBe(200);
  expect(await world.balance(to, 'USDC')).toBe(3n);
  expect(await batch(1n, 10n ** 30n)).toBe(500);
  expect(await world.balance(to, 'USDC')).toBe(3n);
});

it('a contract wallet of the tests responds at once and sends later', async () => {
  const purse = await world.purse();
  const wallet = await createContractWallet({ ...purse, chains: [world.chain] }, batchCode());
  const page = await world.visit(blank(), { wallets: [wallet] });
  await ask(page, 'eth_requestAccounts');
  const to = ethers.Wallet.createRandom().address;
  await world.send('anvil_setBalance', [wallet.address, '0x10']);
  const hash = await ask(page, 'eth_sendTransaction', [{ from: wallet.address, to, value: '0x5' }]);
  expect(await world.send('eth_getTransactionByHash', [hash])).toBeNull();
  expect(await world.balance(to, 'ETH')).toBe(0n);
  expect(await wallet.sign()).not.toBe(hash);
  expect(await world.balance(to, 'ETH')).toBe(5n);
});
