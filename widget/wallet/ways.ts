import { ask, read, toWalletError, WalletError, type Provider } from './provider.ts';
import { quantity, type Call } from './reads.ts';
import type { WidgetPermit } from '../service/types.ts';

/** True where the wallet sends several calls as one that happens whole or not at all (EIP-5792), without a change of the account. */
export const canBatch = async (provider: Provider, account: string, networkId: number): Promise<boolean> => {
  const chain = quantity(networkId);
  try {
    const all = (await read(provider, 'wallet_getCapabilities', [account, [chain]])) as Record<string, unknown>;
    // The key of zero stands for every network.
    const { atomic } = (all[chain] ?? all['0x0'] ?? {}) as { atomic?: { status?: unknown } };
    return atomic?.status === 'supported';
  } catch {
    return false;
  }
};

interface Batch {
  readonly provider: Provider;
  readonly account: string;
  readonly networkId: number;
  readonly calls: readonly Call[];
  /** Id of the batch, so that it can be found again: 0x and 64 hex digits. */
  readonly id: string;
}

/**
 * Asks the wallet to send calls at once. The wallet refuses an id that it has sent before.
 * @returns the id under which the wallet tells the outcome
 */
export const askBatch = async ({ provider, account, networkId, calls, id }: Batch): Promise<string> => {
  const answer = await ask(provider, 'wallet_sendCalls', [
    {
      version: '2.0.0',
      id,
      from: account,
      chainId: quantity(networkId),
      atomicRequired: true,
      calls: calls.map(({ to, data, value }) => ({ to, data, value: quantity(BigInt(value)) })),
    },
  ]);
  const { id: given } = (answer ?? {}) as { id?: unknown };
  return typeof given === 'string' ? given : id;
};

/** `unknown` where the wallet never sent the batch, `failed` where nothing of it happened, null while it is under way. */
export const batchOutcome = async (provider: Provider, id: string): Promise<'unknown' | 'failed' | 'mined' | null> => {
  try {
    const { status } = (await read(provider, 'wallet_getCallsStatus', [id])) as { status?: unknown };
    if (Number(status) >= 400) return 'failed';
    return Number(status) >= 200 ? 'mined' : null;
  } catch (error) {
    if (toWalletError(error).fault === 'unknown_batch') return 'unknown';
    throw error;
  }
};

const signaturePattern = /^0x[0-9a-f]{130}$/i;

/** The last byte of a signature; some wallets count it from 0 instead of 27. */
const recoveryOf = (signature: string): string => {
  const last = parseInt(signature.slice(130), 16);
  return (last < 27 ? last + 27 : last).toString(16).padStart(64, '0');
};

/**
 * Asks the account to sign a permit (EIP-2612) over exactly the amount.
 * @param nonce of the account's next permit
 * @returns data of the call that pays with the permit, 0x-prefixed hex
 */
export const signPermit = async (
  provider: Provider,
  permit: WidgetPermit,
  account: string,
  nonce: bigint,
): Promise<string> => {
  const { typed_data: typed, data } = permit;
  const message = { owner: account, ...typed.message, nonce: nonce.toString() };
  const signature = await ask(provider, 'eth_signTypedData_v4', [account, JSON.stringify({ ...typed, message })]);
  if (typeof signature !== 'string' || !signaturePattern.test(signature)) throw new WalletError('wallet_failed');
  return `${data}${recoveryOf(signature)}${signature.slice(2, 130)}`;
};
