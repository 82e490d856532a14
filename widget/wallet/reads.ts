import { read, WalletError, type Provider } from './provider.ts';

/** A call on a contract, or a transfer of coins with one. Hex is 0x-prefixed, `value` is in wei. */
export interface Call {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

const quantityPattern = /^0x[0-9a-f]{1,64}$/i;

/** @throws WalletError when the wallet's answer is no number */
const toUnits = (value: unknown): bigint => {
  if (typeof value !== 'string' || !quantityPattern.test(value)) throw new WalletError('wallet_failed');
  return BigInt(value);
};

/** An address as a 32-byte word of the ABI, without 0x. */
const word = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0');

/** 0x-prefixed hex of a number, as JSON-RPC wants it (EIP-1474). */
export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;

/** The reads of a page from a network, through the buyer's wallet. All amounts are in base units or wei. */
export const createReads = (provider: Provider) => {
  const view = async (to: string, data: string): Promise<bigint> => {
    const answer = await read(provider, 'eth_call', [{ to, data }, 'latest']);
    // Nothing there, or nothing that knows this call.
    if (answer === '0x') throw new WalletError('wallet_failed', '0x');
    return toUnits(answer);
  };
  return {
    chainId: async (): Promise<number> => Number(toUnits(await read(provider, 'eth_chainId'))),
    /** Accounts that the wallet shows to this page, without asking. */
    accounts: async (): Promise<string[]> => toAccounts(await read(provider, 'eth_accounts')),
    coins: async (account: string): Promise<bigint> =>
      toUnits(await read(provider, 'eth_getBalance', [account, 'latest'])),
    tokens: (token: string, account: string): Promise<bigint> => view(token, `0x70a08231${word(account)}`),
    allowance: (token: string, account: string, spender: string): Promise<bigint> =>
      view(token, `0xdd62ed3e${word(account)}${word(spender)}`),
    /**
     * The next number of a permit (EIP-2612).
     * @param domain hash of the domain that it is signed for
     * @returns null where the token has another domain
     */
    permitNonce: async (token: string, account: string, domain: string): Promise<bigint | null> =>
      (await view(token, '0x3644e515')) === BigInt(domain) ? view(token, `0x7ecebe00${word(account)}`) : null,
    hasCode: async (address: string): Promise<boolean> => {
      const code = await read(provider, 'eth_getCode', [address, 'latest']);
      return typeof code === 'string' && code.length > 2;
    },
    /** Transactions that the account has sent, those that wait for a block included. */
    sentCount: async (account: string): Promise<bigint> =>
      toUnits(await read(provider, 'eth_getTransactionCount', [account, 'pending'])),
    gasPrice: async (): Promise<bigint> => toUnits(await read(provider, 'eth_gasPrice')),
    /** Gas of a call. Throws with the reason of the revert where it would fail. */
    gas: async ({ from, to, data, value }: Call): Promise<bigint> =>
      toUnits(await read(provider, 'eth_estimateGas', [{ from, to, data, value: quantity(BigInt(value)) }])),
    /** Simulates a transfer of the account's own tokens. Throws with the reason of the revert where that fails. */
    tryTransfer: (token: string, from: string, to: string, amount: string): Promise<unknown> =>
      read(provider, 'eth_call', [
        { from, to: token, data: `0xa9059cbb${word(to)}${word(quantity(BigInt(amount)))}` },
        'latest',
      ]),
    /** `mined`, `failed`, or null while the network does not know the transaction or has not mined it. */
    outcome: async (hash: string): Promise<'mined' | 'failed' | null> => {
      const receipt = (await read(provider, 'eth_getTransactionReceipt', [hash])) as { status?: unknown } | null;
      if (receipt === null || typeof receipt !== 'object') return null;
      return receipt.status === '0x0' ? 'failed' : 'mined';
    },
  };
};

export type Reads = ReturnType<typeof createReads>;

const addressPattern = /^0x[0-9a-f]{40}$/i;

/** Addresses of an answer to `eth_accounts` or `eth_requestAccounts`. */
export const toAccounts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => addressPattern.test(String(entry))) : [];
