import { AbiCoder, concat, getCreate2Address, keccak256 } from 'ethers';
import { codes } from '../../chain/rpc/calls.ts';
import { deployCall } from '../../chain/deploy/deploy-calls.ts';
import type { ContractCall } from '../../domain/deployment.ts';
import { contracts, release } from '../../chain/pure/contracts.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { sendCalls, type PlannedCall } from '../../chain/deploy/send-calls.ts';
import type { Signer } from '../../chain/signing/signer.ts';

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
 * Deploys a token that anybody may mint, for development networks; an existing one is left alone.
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

/** The call that gives somebody new test tokens. */
export const mintCall = (token: string, to: string, units: bigint): PlannedCall => ({
  what: `mint for ${to}`,
  to: token,
  data: contracts.testToken.interface.encodeFunctionData('mint', [to, units]),
});

/** Sends coins to those accounts that have less than half of `wei`. */
export const fundAccounts = async (
  rpc: Rpc,
  signer: Signer,
  eip155: number,
  addresses: readonly string[],
  wei: bigint,
): Promise<void> => {
  const { outcomes } = await rpc.batch(
    addresses.map((address) => ({ method: 'eth_getBalance', params: [address, 'latest'] })),
  );
  const poor = addresses.filter((_, index) => {
    const outcome = outcomes[index];
    if (!outcome?.ok) throw outcome?.error ?? new Error('the node left out an answer');
    return BigInt(outcome.result as string) < wei / 2n;
  });
  await sendCalls(
    rpc,
    signer,
    eip155,
    poor.map((to) => ({ what: `fund ${to}`, to, data: '0x', value: wei })),
  );
};
