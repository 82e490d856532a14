import type { Platform } from '../../domain/platform.ts';
import { contracts } from '../pure/contracts.ts';
import { batchersOf, registryAddress, type PlatformBatcher } from '../pure/platform.ts';
import { roleIds } from '../pure/roles.ts';
import { agreedCodes, agreedViews } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { agreedBlock } from './inspect.ts';
import { hasRole } from './registry.ts';

/** A network, and its client. */
interface Place {
  readonly network: { readonly platform: Platform; readonly quorum: number };
  readonly rpc: Rpc;
}

/** A batcher of the platform on one network. */
export interface BatcherState extends PlatformBatcher {
  readonly isThere: boolean;
  /** True when it has the operator role, without which every diamond refuses it. */
  readonly isOperator: boolean;
}

/** True for a batcher that can serve deals. Without code, calls to it would succeed and do nothing. */
export const serves = ({ isThere, isOperator }: BatcherState): boolean => isThere && isOperator;

/**
 * Every batcher that any version of Carat has used, the newest first, as the quorum reports them.
 * @param block number, tag, or block hash object (EIP-1898)
 * @throws RpcError when no endpoint responds, or too few agree
 */
export const readBatchers = async (
  { network, rpc }: Place,
  block: unknown = 'latest',
): Promise<[newest: BatcherState, ...older: BatcherState[]]> => {
  const { platform, quorum } = network;
  const [newest, ...older] = batchersOf(platform);
  const addresses = [newest, ...older].map(({ address }) => address);
  const view = { to: registryAddress(platform), interface: contracts.registry.interface, name: 'roleState' };
  const asked = addresses.map((account) => ({ ...view, args: [roleIds.operator, account] }));
  const found = await agreedCodes(rpc, quorum, addresses, block);
  const states = await agreedViews(rpc, quorum, asked, block);
  const stateOf = (batcher: PlatformBatcher, index: number): BatcherState => ({
    ...batcher,
    isThere: found[index] !== '0x',
    // Undefined without a registry.
    isOperator: states[index] !== undefined && hasRole(states[index]),
  });
  return [stateOf(newest, 0), ...older.map((batcher, index) => stateOf(batcher, index + 1))];
};

/**
 * Counts the transactions to an address that are not final.
 * @returns null when it is unknown which of them existed at this block
 */
export type CountOpen = (to: string, block: number) => Promise<number | null>;

/** An older batcher that a network still has. */
export interface OlderBatcher extends BatcherState {
  /**
   * Why it keeps its role: the newest batcher is not confirmed with its own role, the open transactions to this one are
   * unknown, or some are open. Null when none are open, and when it has no role.
   */
  readonly hold: 'not_replaced' | 'not_known' | 'in_use' | null;
  /** Transactions to it that are not final; zero unless `hold` is `in_use`. */
  readonly open: number;
}

/**
 * The older batchers on a network, and whether they can lose their role. Transactions are counted last, once the newest
 * batcher is confirmed with its role. Lanes check for it every few seconds. Transactions that they send to an older one
 * until then are refused for the missing role and sent again, which uses up no retry.
 * @param states as `readBatchers` returns them
 * @throws RpcError when no endpoint responds, or too few agree
 */
export const readOlderBatchers = async (
  place: Place & { readonly network: { readonly confirmations: number } },
  [newest, ...states]: readonly [BatcherState, ...BatcherState[]],
  countOpen?: CountOpen,
): Promise<OlderBatcher[]> => {
  const older = states.filter(({ isThere, isOperator }) => isThere || isOperator);
  if (older.length === 0) return [];
  const { blockNumber, block } = await agreedBlock(place, place.network.confirmations);
  const [confirmed] = await readBatchers(place, block);
  const isReplaced = serves(newest) && serves(confirmed);
  return Promise.all(
    older.map(async (own): Promise<OlderBatcher> => {
      if (!own.isOperator) return { ...own, hold: null, open: 0 };
      if (!isReplaced) return { ...own, hold: 'not_replaced', open: 0 };
      const open = countOpen === undefined ? null : await countOpen(own.address, blockNumber);
      if (open === null) return { ...own, hold: 'not_known', open: 0 };
      return { ...own, hold: open > 0 ? 'in_use' : null, open };
    }),
  );
};
