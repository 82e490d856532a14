import { AbiCoder, concat, getCreate2Address, keccak256 } from 'ethers';
import { deployCall } from '../../chain/deploy/deployer.ts';
import { sendCalls, type PlannedCall } from '../../chain/deploy/send-calls.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { release } from '../../chain/pure/releases.ts';
import { codes, views } from '../../chain/rpc/calls.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { createKeySigner, type Signer } from '../../chain/signing/signer.ts';
import type { ContractCall } from '../../domain/ports/deployment.ts';
import { devAccounts } from './accounts.ts';

/** A token of the development networks. All have permits (EIP-2612), of version 1. */
export interface TestToken {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

const tokenInitCode = ({ name, symbol, decimals }: TestToken): string =>
  concat([
    contracts.testToken.bytecode,
    AbiCoder.defaultAbiCoder().encode(['string', 'string', 'uint8'], [name, symbol, decimals]),
  ]);

/** Address of a test token, the same on every development network; lower-case. */
export const testTokenAddress = (token: TestToken): string =>
  getCreate2Address(release.deployer, release.salt, keccak256(tokenInitCode(token))).toLowerCase();

/** The call that deploys a test token. */
export const tokenDeployCall = (token: TestToken): ContractCall => deployCall(tokenInitCode(token));

/**
 * Deploys a token that anyone may mint, for development networks; an existing one is kept.
 * @returns its address, lower-case
 */
export const deployTestToken = async (rpc: Rpc, signer: Signer, eip155: number, token: TestToken): Promise<string> => {
  const address = testTokenAddress(token);
  const [code] = await codes(rpc, [address]);
  if (code === '0x') {
    await sendCalls(rpc, signer, eip155, [{ what: `deploy ${token.symbol}`, ...tokenDeployCall(token) }]);
  }
  return address;
};

/** The call that mints test tokens for an account. */
const mintCall = (token: string, to: string, units: bigint): PlannedCall => ({
  what: `mint for ${to}`,
  to: token,
  data: contracts.testToken.interface.encodeFunctionData('mint', [to, units]),
});

/**
 * The tokens of the development networks, with few and many decimals, the difference that matters to money code. Anyone
 * may mint them. The catalogue lists the permits of the first one only, so that both ways to pay are there.
 */
export const devTokens: readonly TestToken[] = [
  { symbol: 'USDC', name: 'Development dollar, 6 decimals', decimals: 6 },
  { symbol: 'DAI', name: 'Development dollar, 18 decimals', decimals: 18 },
];

/** Initial balance of the buyer, in whole tokens. */
const initialBalance = 1_000_000n;

/** Deploys missing tokens and funds the buyer where the balance is 0. Idempotent. */
export const prepareTokens = async (rpc: Rpc, eip155: number): Promise<void> => {
  const signer = createKeySigner(devAccounts.buyer.privateKey);
  for (const token of devTokens) await deployTestToken(rpc, signer, eip155, token);
  const balances = await views(
    rpc,
    devTokens.map((token) => ({
      to: testTokenAddress(token),
      interface: contracts.testToken.interface,
      name: 'balanceOf',
      args: [signer.address],
    })),
  );
  const empty = devTokens.filter((_, index) => balances[index] === 0n);
  const calls = empty.map((token) =>
    mintCall(testTokenAddress(token), signer.address, initialBalance * 10n ** BigInt(token.decimals)),
  );
  await sendCalls(rpc, signer, eip155, calls);
};
