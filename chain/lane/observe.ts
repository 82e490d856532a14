import type { MinedSlot, Slot } from '../../domain/ports/lane.ts';
import { quantity } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/endpoint.ts';
import type { ChainView, LaneRun } from './context.ts';
import { USUAL_TIP } from './fees.ts';

/** A receipt as JSON-RPC gives it; quantities are 0x-prefixed hex. */
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

/** The network is another one than the one that was set up; nothing is sent to it. */
export class WrongGenesisError extends Error {
  override readonly name = 'WrongGenesisError';
}

/**
 * Reads what became of everything under way and writes it down.
 * @returns the view of the chain and the slots as they are after it
 * @throws RpcError when no endpoint answers; WrongGenesisError
 */
export const recordOutcomes = async (
  run: LaneRun,
  slots: readonly Slot[],
): Promise<{ readonly view: ChainView; readonly slots: readonly Slot[] }> => {
  const { store, lease, log } = run;
  const { view, mined, unmined } = await observe(run, slots);
  if (unmined.length > 0) {
    await store.recordUnmined(lease, unmined);
    log.warn('Transactions were reorganised away', { network: run.network.name, slots: unmined.length });
  }
  if (mined.length > 0) {
    run.failpoint('runLane:before_mined');
    await store.recordMined(lease, mined);
    run.failpoint('runLane:after_mined');
  }
  const minedById = new Map(mined.map((one) => [one.slotId, one]));
  return {
    view,
    slots: slots.map((slot): Slot => {
      const one = minedById.get(slot.id);
      if (one) return { ...slot, ...one, state: 'mined' };
      if (!unmined.includes(slot.id)) return slot;
      return { ...slot, state: 'signed', blockNumber: null, blockHash: null, txHash: null };
    }),
  };
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

/** Looks at tip, base fee, nonces and funds, the receipts of what is signed and the blocks of what was mined. */
const observe = async ({ rpc, signer, network, memory, signal }: LaneRun, slots: readonly Slot[]) => {
  const attempts = slots
    .filter((slot) => slot.state === 'signed')
    .flatMap((slot) => slot.attempts.map((attempt) => ({ slotId: slot.id, txHash: attempt.txHash })));
  const blocks = [...new Set(slots.flatMap((slot) => (slot.state === 'mined' ? [slot.blockNumber ?? 0] : [])))];
  const account: RpcRequest[] = [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getTransactionCount', params: [signer.address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [signer.address, 'pending'] },
    { method: 'eth_getBalance', params: [signer.address, 'latest'] },
    { method: 'eth_maxPriorityFeePerGas' },
  ];
  const { outcomes } = await rpc.batch(
    [
      ...account,
      ...(memory.genesisChecked ? [] : [{ method: 'eth_getBlockByNumber', params: ['0x0', false] }]),
      ...attempts.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
      ...blocks.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] })),
    ],
    { signal },
  );
  const rest = outcomes.slice(account.length);

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
    blocks.map((number, index) => [number, resultOf(rest[attempts.length + index]) as WireBlock | null]),
  );
  const unmined = slots.filter((slot) => {
    // No such block yet: an endpoint behind the others, or a chain that is about to grow differently.
    const header = slot.state === 'mined' ? canonical.get(slot.blockNumber ?? 0) : null;
    return header ? header.hash.toLowerCase() !== slot.blockHash : false;
  });
  return { view: viewOf(outcomes), mined: [...mined.values()], unmined: unmined.map((slot) => slot.id) };
};

const viewOf = ([tip, nonce, pending, balance, priority]: readonly RpcOutcome[]): ChainView => {
  const header = resultOf(tip) as WireBlock;
  return {
    tip: Number(header.number),
    baseFee: BigInt(header.baseFeePerGas ?? '0x0'),
    priorityFee: priority?.ok ? BigInt(priority.result as string) : USUAL_TIP,
    blockGasLimit: BigInt(header.gasLimit),
    nonce: Number(resultOf(nonce)),
    pendingNonce: Number(resultOf(pending)),
    balance: BigInt(resultOf(balance) as string),
  };
};
