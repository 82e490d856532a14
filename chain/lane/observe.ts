import type { MinedSlot, Slot } from '../../domain/lane.ts';
import { quantity } from '../rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import type { ChainView, LaneRun } from './context.ts';

/** What the chain says about an account and its slots, in one exchange with one endpoint. */
export interface Observation {
  readonly view: ChainView;
  readonly endpoint: number;
  /** Receipts of slots that were not known to be mined. */
  readonly mined: readonly MinedSlot[];
  /** Slots whose receipt came from a block that is not canonical any more. */
  readonly unmined: readonly string[];
}

export interface WireReceipt {
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly baseFeePerGas?: string;
  readonly gasLimit: string;
}

/** Used where a node does not suggest a tip. */
const USUAL_TIP = 10n ** 9n;

/** The network is another one than the one that was set up; nothing is sent to it. */
export class WrongGenesisError extends Error {
  override readonly name = 'WrongGenesisError';
}

const resultOf = (outcome: RpcOutcome | undefined): unknown => {
  if (!outcome?.ok) throw outcome?.error ?? new RpcError('malformed', 'the node left out an answer');
  return outcome.result;
};

/** A receipt as the store keeps it. */
export const toMined = (slotId: string, receipt: WireReceipt): MinedSlot => ({
  slotId,
  txHash: receipt.transactionHash.toLowerCase(),
  blockNumber: Number(receipt.blockNumber),
  blockHash: receipt.blockHash.toLowerCase(),
  receiptStatus: Number(receipt.status) === 1 ? 1 : 0,
  gasUsed: BigInt(receipt.gasUsed),
  effectiveGasPrice: BigInt(receipt.effectiveGasPrice ?? '0x0'),
});

/**
 * Looks at the chain: tip, base fee, nonces, funds, the receipts of everything under way, and the blocks of everything
 * that was mined.
 * @throws RpcError when no endpoint answers; WrongGenesisError
 */
export const observe = async (run: LaneRun, slots: readonly Slot[]): Promise<Observation> => {
  const { rpc, signer, network, memory, signal } = run;
  const attempts = slots
    .filter((slot) => slot.state === 'signed')
    .flatMap((slot) => slot.attempts.map((attempt) => ({ slotId: slot.id, txHash: attempt.txHash })));
  const blocks = [...new Set(slots.flatMap((slot) => (slot.state === 'mined' ? [slot.blockNumber ?? 0] : [])))];
  const requests: RpcRequest[] = [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getTransactionCount', params: [signer.address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [signer.address, 'pending'] },
    { method: 'eth_getBalance', params: [signer.address, 'latest'] },
    { method: 'eth_maxPriorityFeePerGas' },
    ...(memory.genesisChecked ? [] : [{ method: 'eth_getBlockByNumber', params: ['0x0', false] }]),
    ...attempts.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
    ...blocks.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] })),
  ];
  const { endpoint, outcomes } = await rpc.batch(requests, { signal });
  const [tip, nonce, pending, balance, priority, ...rest] = outcomes;

  if (!memory.genesisChecked) {
    const genesis = resultOf(rest.shift()) as WireBlock | null;
    if (network.genesisHash !== null && genesis?.hash.toLowerCase() !== network.genesisHash) {
      throw new WrongGenesisError(`${network.name} has another genesis block than the stored one`);
    }
    memory.genesisChecked = true;
  }

  const mined = new Map<string, MinedSlot>();
  attempts.forEach(({ slotId }, index) => {
    const receipt = resultOf(rest[index]) as WireReceipt | null;
    if (receipt !== null) mined.set(slotId, toMined(slotId, receipt));
  });
  const canonical = new Map(
    blocks.map((number, index) => [number, resultOf(rest[attempts.length + index]) as WireBlock | null] as const),
  );
  const unmined = slots.filter((slot) => {
    // No such block yet: an endpoint behind the others, or a chain that is about to grow differently.
    const header = slot.state === 'mined' ? canonical.get(slot.blockNumber ?? 0) : null;
    return header ? header.hash.toLowerCase() !== slot.blockHash : false;
  });

  const header = resultOf(tip) as WireBlock;
  return {
    endpoint,
    mined: [...mined.values()],
    unmined: unmined.map((slot) => slot.id),
    view: {
      tip: Number(header.number),
      baseFee: BigInt(header.baseFeePerGas ?? '0x0'),
      priorityFee: priority?.ok ? BigInt(priority.result as string) : USUAL_TIP,
      blockGasLimit: BigInt(header.gasLimit),
      nonce: Number(resultOf(nonce)),
      pendingNonce: Number(resultOf(pending)),
      balance: BigInt(resultOf(balance) as string),
    },
  };
};
