import { toBeHex, Transaction } from 'ethers';
import type { FoundTransaction, RestoredLane } from '../../../domain/ports/lane.ts';
import { fewestOf, isMost, nonceRequest, quantity } from '../../rpc/calls.ts';
import { RpcError } from '../../rpc/error.ts';
import { resultOf, type RpcRequest } from '../../rpc/requests.ts';
import type { LaneRun } from '../context.ts';
import type { RestoredSearch } from '../memory.ts';

/* The search for the transactions of a restored lane's key in whole blocks. */

/** Most blocks in one exchange, and exchanges in one tick. */
const BLOCKS = 10;
const EXCHANGES = 10;
/** Blocks that the watcher may be behind before a missing transaction is looked for in them. */
const BEHIND = 64;

interface WireTransaction {
  readonly hash: string;
  readonly from: string;
  readonly type?: string;
  readonly nonce: string;
  readonly to: string | null;
  readonly input: string;
  readonly value: string;
  readonly gas: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly r: string;
  readonly s: string;
  readonly yParity?: string;
  readonly v?: string;
}

/** A search that begins at the restored state. */
export const newSearch = ({ fromBlock }: RestoredLane): RestoredSearch => ({
  next: fromBlock,
  furthest: 0,
  blocks: BLOCKS,
  passes: 0,
  found: new Map(),
  trouble: null,
});

/** Something takes its time; or something is missing that should be there, which the lane's patience bounds. */
export type Lack = { readonly waits: string } | { readonly waitsInVain: string };

/** Requires that most endpoints count all transactions by the watcher's block; null when they do. */
export const lacking = async (run: LaneRun, { nonce, cursor }: RestoredLane): Promise<Lack | null> => {
  const { rpc, network, signer, signal } = run;
  const fewest = fewestOf(rpc, network.quorum);
  const requests = [nonceRequest(signer.address, quantity(cursor)), { method: 'eth_blockNumber' }];
  const responses = await rpc.everyone(requests, { fewest, signal });
  const areMost = (index: number, least: number): boolean => {
    const those = responses.filter(({ outcomes }) => outcomes[index]?.ok && Number(outcomes[index].result) >= least);
    return isMost(those.length, responses.length, fewest);
  };
  if (areMost(0, nonce)) return null;
  if (areMost(1, cursor + BEHIND)) return { waits: 'the watcher has not read all of its blocks' };
  return { waitsInVain: 'too few endpoints have all of its transactions in a block' };
};

/** Reads the next blocks up to the watcher's, and keeps the transactions of this key that are wanted. */
export const searchBlocks = async (
  run: LaneRun,
  grant: RestoredLane,
  wanted: readonly number[],
  search: RestoredSearch,
): Promise<void> => {
  const isComplete = (): boolean => wanted.every((nonce) => search.found.has(nonce));
  for (let turn = 0; turn < EXCHANGES && !isComplete() && search.next <= grant.cursor; turn += 1) {
    const count = Math.min(search.blocks, grant.cursor - search.next + 1);
    const blocks = await readBlocks(run, search, count);
    if (blocks === null) return;
    for (const block of blocks) {
      // An endpoint that is behind the watcher.
      if (block === null) return run.turn.askAnother();
      for (const wire of Array.isArray(block.transactions) ? (block.transactions as WireTransaction[]) : []) {
        const one = provedOwn(run, wire);
        if (one !== null && wanted.includes(one.nonce)) search.found.set(one.nonce, one);
      }
    }
    search.next += count;
  }
};

/**
 * Reads blocks with their transactions; null when fewer must be read at once.
 * @throws RpcError of an endpoint that does not give a single one; the lane reports it, since its watcher reads no whole blocks
 */
const readBlocks = async (
  run: LaneRun,
  search: RestoredSearch,
  count: number,
): Promise<({ transactions?: unknown } | null)[] | null> => {
  const requests = Array.from({ length: count }, (_, index): RpcRequest => ({
    method: 'eth_getBlockByNumber',
    params: [quantity(search.next + index), true],
  }));
  try {
    const { outcomes } = await run.rpc.batch(requests, { turn: run.turn.now, signal: run.signal });
    const blocks = outcomes.map((outcome) => resultOf(outcome) as { transactions?: unknown } | null);
    search.blocks = Math.min(BLOCKS, count * 2);
    return blocks;
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind === 'aborted') throw error;
    search.blocks = Math.max(1, Math.floor(count / 2));
    if (count > 1) return null;
    throw new RpcError('rejected', error.message, { method: 'eth_getBlockByNumber of whole blocks' });
  }
};

/** 32 bytes: some endpoints leave out leading zeros. */
const word = (hex: string): string => toBeHex(BigInt(hex), 32);

/** A transaction that this key has signed, proved by its hash and signature for any reporter; null for any other. */
const provedOwn = ({ signer, network }: LaneRun, wire: WireTransaction): FoundTransaction | null => {
  if (String(wire.from).toLowerCase() !== signer.address.toLowerCase()) return null;
  try {
    const signed = Transaction.from({
      type: Number(wire.type),
      chainId: network.eip155,
      nonce: Number(wire.nonce),
      to: wire.to,
      data: wire.input,
      value: BigInt(wire.value),
      gasLimit: BigInt(wire.gas),
      maxFeePerGas: BigInt(wire.maxFeePerGas ?? 0),
      maxPriorityFeePerGas: BigInt(wire.maxPriorityFeePerGas ?? 0),
      accessList: [],
      signature: { r: word(wire.r), s: word(wire.s), yParity: Number(wire.yParity ?? wire.v) as 0 | 1 },
    });
    const isOurs =
      signed.from?.toLowerCase() === signer.address.toLowerCase() && signed.hash === wire.hash.toLowerCase();
    // Carat signs no others.
    if (!isOurs || signed.type !== 2 || signed.to === null || signed.value !== 0n) return null;
    return {
      nonce: signed.nonce,
      txHash: signed.hash,
      raw: signed.serialized,
      to: signed.to.toLowerCase(),
      data: signed.data.toLowerCase(),
      gasLimit: signed.gasLimit,
      maxFeePerGas: signed.maxFeePerGas!,
      maxPriorityFeePerGas: signed.maxPriorityFeePerGas!,
    };
  } catch {
    // Fields of which no transaction consists.
    return null;
  }
};
