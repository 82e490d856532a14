import type { Memory } from './memory.ts';
import { asking, stop, type Phase } from './phases.ts';
import { ask, toWalletError } from '../wallet/provider.ts';
import { createReads, quantity } from '../wallet/reads.ts';
import type { Service } from '../service/service.ts';
import type { WidgetPaymentState } from '../service/types.ts';
import type { Wallet } from '../wallet/wallets.ts';

/** Milliseconds without an effect on the network after which the page says so. */
export const LATE_MS = 120_000;

/** One attempt of a buyer to pay, from the press of the button until the wallet has sent the payment. */
export interface Attempt {
  readonly wallet: Wallet;
  readonly account: string;
  readonly service: Service;
  readonly memory: Memory;
  /** The state that the page shows now. */
  readonly state: () => WidgetPaymentState;
  /** Shows a phase. Throws Stop when the attempt was left meanwhile. */
  readonly enter: (phase: Phase) => void;
  /** Ways that this wallet has failed; another one is taken. */
  readonly failedWays: Set<'batch' | 'permit'>;
  /** Resolves when it is time for another look at the network. Throws Stop when the attempt was left meanwhile. */
  readonly nextLook: () => Promise<void>;
}

export const isSame = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();

const addNetwork = async ({ wallet, state }: Attempt): Promise<void> => {
  const { network_id, network } = state();
  if (network.rpc_urls.length === 0) throw stop('unknown_network');
  await ask(wallet.provider, 'wallet_addEthereumChain', [
    {
      chainId: quantity(network_id),
      chainName: network.name,
      nativeCurrency: { name: network.native_symbol, symbol: network.native_symbol, decimals: 18 },
      rpcUrls: network.rpc_urls,
      ...(network.explorer_url === null ? {} : { blockExplorerUrls: [network.explorer_url] }),
    },
  ]);
};

/** Brings the wallet to the payment's network. Looks again afterwards, because some wallets only say that they switched. */
export const reachNetwork = async (attempt: Attempt): Promise<void> => {
  const { wallet, state, enter } = attempt;
  const reads = createReads(wallet.provider);
  const { network_id: wanted, diamond_address: diamond } = state();
  const move = (): Promise<unknown> =>
    ask(wallet.provider, 'wallet_switchEthereumChain', [{ chainId: quantity(wanted) }]);
  if ((await reads.chainId()) !== wanted) {
    enter(asking('switch', 1, 1));
    try {
      await move();
    } catch (error) {
      const { fault } = toWalletError(error);
      // Wallets that are bound to one network cannot switch.
      if (fault === 'unsupported') throw stop('wrong_network');
      if (fault !== 'unknown_network') throw error;
      await addNetwork(attempt);
      if ((await reads.chainId()) !== wanted) await move();
    }
    if ((await reads.chainId()) !== wanted) throw stop('wrong_network');
    enter({ name: 'checking' });
  }
  // Coins sent to an address without code would be stuck there.
  if (diamond !== null && !(await reads.hasCode(diamond))) throw stop('other_chain');
};

/**
 * The account must still be the wallet's, the network the payment's, and the contract there. Read right before each question.
 * @param to contract that the question is about
 */
export const assertPlace = async ({ wallet, account, state }: Attempt, to: string): Promise<void> => {
  const reads = createReads(wallet.provider);
  if (!(await reads.hasCode(to))) throw stop('other_chain');
  if (!(await reads.accounts()).some((entry) => isSame(entry, account))) throw stop('locked');
  if ((await reads.chainId()) !== state().network_id) throw stop('wrong_network');
};
