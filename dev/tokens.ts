import { ethers } from 'ethers';
import { contracts } from '../chain/pure/contracts.ts';
import { release } from '../chain/pure/release.ts';
import { devAccounts } from './accounts.ts';

/** A token of the development networks. Anyone may mint it, so it is its own faucet. */
export interface DevToken {
  symbol: string;
  name: string;
  decimals: number;
}

/** The two kinds that matter to money code: few digits and many. */
export const devTokens: DevToken[] = [
  { symbol: 'USDC', name: 'Development dollar, 6 decimals', decimals: 6 },
  { symbol: 'DAI', name: 'Development dollar, 18 decimals', decimals: 18 },
];

/** What the buyer is given of each token at first. */
const initialBalance = 1_000_000n;

const initCode = ({ name, symbol, decimals }: DevToken): string =>
  ethers.concat([
    contracts.testToken.bytecode,
    ethers.AbiCoder.defaultAbiCoder().encode(['string', 'string', 'uint8'], [name, symbol, decimals]),
  ]);

/** Address of the token, lower-case, the same on every network: it is deployed by the deterministic deployer. */
export function tokenAddress(token: DevToken): string {
  return ethers.getCreate2Address(release.deployer, ethers.ZeroHash, ethers.keccak256(initCode(token))).toLowerCase();
}

/** Deploys the tokens that the network lacks and fills the buyer's purse. Safe to run again. */
export async function deployTokens(rpcUrl: string, eip155: number): Promise<void> {
  const provider = new ethers.JsonRpcProvider(rpcUrl, eip155, { staticNetwork: true, cacheTimeout: -1 });
  try {
    for (const token of devTokens) {
      const address = tokenAddress(token);
      if ((await provider.getCode(address)) === '0x')
        await send(provider, release.deployer, [release.salt, initCode(token)]);
      const { interface: abi } = contracts.testToken;
      const balance = await provider.call({
        to: address,
        data: abi.encodeFunctionData('balanceOf', [devAccounts.buyer.address]),
      });
      if (BigInt(balance) > 0n) continue;
      const amount = initialBalance * 10n ** BigInt(token.decimals);
      await send(provider, address, [abi.encodeFunctionData('mint', [devAccounts.buyer.address, amount])]);
    }
  } finally {
    provider.destroy();
  }
}

/** Sends from the buyer's account and waits until it is mined. */
async function send(provider: ethers.JsonRpcProvider, to: string, data: string[]): Promise<void> {
  const wallet = new ethers.Wallet(devAccounts.buyer.privateKey, provider);
  const receipt = await (await wallet.sendTransaction({ to, data: ethers.concat(data) })).wait();
  if (receipt?.status !== 1) throw new Error(`a development token could not be prepared: transaction to ${to} failed`);
}
