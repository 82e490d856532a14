import { views } from '../../chain/rpc/calls.ts';
import { deployTestToken, mintCall, testTokenAddress, type TestToken } from './funds.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts } from './accounts.ts';

/**
 * The tokens of the development networks: few digits and many, which is what matters to money code. Anyone may mint
 * them, so they are their own faucet.
 */
export const devTokens: readonly TestToken[] = [
  { symbol: 'USDC', name: 'Development dollar, 6 decimals', decimals: 6 },
  { symbol: 'DAI', name: 'Development dollar, 18 decimals', decimals: 18 },
];

/** Whole tokens that the buyer is given of each at first. */
const initialBalance = 1_000_000n;

/** Deploys the tokens that the network lacks and fills the buyer's purse where it is empty. Safe to run again. */
export async function prepareTokens(rpc: Rpc, eip155: number): Promise<void> {
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
}
