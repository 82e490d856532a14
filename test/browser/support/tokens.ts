import fs from 'node:fs';
import path from 'node:path';
import { ethers } from 'ethers';
import { dump, load } from 'js-yaml';
import { checkNetwork } from '../../../chain/deploy/network-check.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { applyCatalogue } from '../../../db/catalogue/apply.ts';
import { devAccounts } from '../../../tools/stack/accounts.ts';
import { rpc } from '../../../tools/stack/chain.ts';
import { compile, type CompiledContracts } from '../../../tools/build/contracts/compile.ts';
import type { Product } from '../../support/product.ts';
import { receiptOf, type Receipt } from './receipts.ts';
import type { BatchCode } from './wallet.ts';

/** Symbols of the currencies that buyers pay in. */
export const symbols = ['ETH', 'USDC', 'DAI', 'USDT'] as const;

/** ETH is the native coin. USDC needs an approval, DAI takes a permit, and USDT refuses to change one allowance into another. */
export type PaySymbol = (typeof symbols)[number];

/** A currency of the tests. */
export interface PayCurrency {
  readonly id: string;
  readonly decimals: number;
  /** Address of the token, lower-case; null for the native coin. */
  readonly token: string | null;
}

interface CatalogueFile {
  networks: { name: string }[];
  currencies: {
    symbol: string;
    name: string;
    decimals: number;
    tokens: { network: string; address: string | null; permit?: { name: string; version: string } }[];
  }[];
}

let compiled: CompiledContracts | undefined;
const contractOf = (name: string) => (compiled ??= compile(path.join(import.meta.dirname, '../contracts'))).get(name);

/** The code by which wallets make several calls at once. */
export const batchCode = (): BatchCode => contractOf('BatchAccount');

/** Sends a transaction from an account that anvil signs for, and waits until it is mined. */
const sendFrom = async (url: string, from: string, tx: object): Promise<Receipt> =>
  receiptOf(url, (await rpc(url, 'eth_sendTransaction', [{ from, ...tx }])) as string);

/** Deploys Tether's kind of token, and adds it and the permit of DAI to the catalogue. To be called before api and worker start. */
export const addTokens = async (product: Product): Promise<Record<PaySymbol, PayCurrency>> => {
  const { rpc: url } = product.dev.networks.alpha!;
  const receipt = await sendFrom(url, devAccounts.buyer.address, { data: contractOf('StubbornToken').bytecode });
  const stubborn = receipt.contractAddress!.toLowerCase();
  const file = path.join(path.dirname(product.logs), 'catalogue.yaml');
  const catalogue = load(fs.readFileSync(file, 'utf8')) as CatalogueFile;
  for (const { symbol, name, tokens } of catalogue.currencies) {
    for (const token of tokens) {
      delete token.permit;
      if (symbol === 'DAI') token.permit = { name, version: '1' };
    }
  }
  catalogue.currencies.push({
    symbol: 'USDT',
    name: 'Stubborn dollar',
    decimals: 6,
    tokens: [{ network: 'alpha', address: stubborn }],
  });
  fs.writeFileSync(file, dump(catalogue));
  const { currencies } = await applyCatalogue(product.knex, catalogue, checkNetwork);
  const currency = (symbol: PaySymbol, decimals: number, token: string | null): PayCurrency => ({
    id: currencies[symbol]!,
    decimals,
    token,
  });
  const known = (symbol: string): string => product.dev.currencies[symbol]!.tokens.alpha!.address!;
  return {
    ETH: currency('ETH', 18, null),
    USDC: currency('USDC', 6, known('USDC')),
    DAI: currency('DAI', 18, known('DAI')),
    USDT: currency('USDT', 6, stubborn),
  };
};

/** Sets the coins of an account, in whole coins. */
export const giveCoins = async (url: string, account: string, coins: string): Promise<void> => {
  await rpc(url, 'anvil_setBalance', [account, ethers.toBeHex(ethers.parseEther(coins))]);
};

/** Gives an account tokens, in whole tokens. */
export const giveTokens = async (
  url: string,
  account: string,
  { token, decimals }: PayCurrency,
  amount: string,
): Promise<void> => {
  const data = contracts.testToken.interface.encodeFunctionData('mint', [account, ethers.parseUnits(amount, decimals)]);
  await sendFrom(url, devAccounts.buyer.address, { to: token!, data });
};
