import type { WaitingDetail } from '../../domain/payment.ts';
import type { MinedSlot } from '../../domain/ports/lane.ts';
import { contracts } from '../pure/contracts.ts';
import { batchersOf } from '../pure/platform.ts';
import { decodeRevert, waitingDetailOf } from '../pure/revert-reason.ts';
import { roleIds } from '../pure/roles.ts';
import { outputOf, quantity, receiptRequest, textOf, viewRequest } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import type { LaneRun } from './context.ts';

/** A receipt in the form of JSON-RPC; quantities are 0x-prefixed hex. */
export interface WireReceipt {
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice?: string | null | undefined;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

/** A slot's receipt from one endpoint. */
interface ToldReceipt {
  readonly slotId: string;
  readonly receipt: WireReceipt;
}

const fingerprintOf = ({ blockHash, blockNumber, status, gasUsed, logs }: WireReceipt): string => {
  const told = logs.flatMap(({ address, topics, data }) => [address, ...topics, data]);
  return [blockHash, Number(blockNumber), Number(status), Number(gasUsed), ...told].join().toLowerCase();
};

/** What endpoints must agree on: the receipt, and the price of its gas, which some endpoints omit. */
const piecesOf = (outcome: RpcOutcome | undefined): (string | undefined)[] => {
  const receipt = outcome?.ok ? (outcome.result as WireReceipt | null) : null;
  if (receipt === null) return [undefined, undefined];
  const { effectiveGasPrice: price } = receipt;
  return [fingerprintOf(receipt), price == null ? undefined : quantity(BigInt(price))];
};

/**
 * Keeps receipts that the quorum confirms: a false one would close a slot that was never mined. Others are read again.
 */
export const agreedReceipts = async (
  { rpc, network, signal }: LaneRun,
  told: readonly ToldReceipt[],
): Promise<ToldReceipt[]> => {
  if (network.quorum <= 1 || told.length === 0) return [...told];
  const requests = told.map(({ receipt }) => receiptRequest(receipt.transactionHash));
  const pick = (outcomes: readonly RpcOutcome[]) => told.flatMap((_, index) => piecesOf(outcomes[index]));
  const pieces = await rpc.agree(requests, network.quorum, pick, signal);
  return told.flatMap(({ slotId, receipt }, index) => {
    const [place, effectiveGasPrice] = pieces.slice(2 * index);
    return place === fingerprintOf(receipt) ? [{ slotId, receipt: { ...receipt, effectiveGasPrice } }] : [];
  });
};

/** A receipt in the form of the store, with the waiting reasons of failed parts. The watcher judges the effects. */
export const toMined = async (run: LaneRun, slotId: string, receipt: WireReceipt): Promise<MinedSlot> => {
  const blockNumber = Number(receipt.blockNumber);
  const receiptStatus = Number(receipt.status) === 1 ? 1 : 0;
  return {
    slotId,
    txHash: receipt.transactionHash.toLowerCase(),
    blockNumber,
    blockHash: receipt.blockHash.toLowerCase(),
    receiptStatus,
    gasUsed: BigInt(receipt.gasUsed),
    effectiveGasPrice: BigInt(receipt.effectiveGasPrice ?? '0x0'),
    waiting: failedParts(run, receipt),
    allWait: receiptStatus === 0 ? await roleReason(run, blockNumber) : null,
  };
};

/** The waiting reasons of the failed parts of a batch, by diamond. */
const failedParts = ({ network }: LaneRun, receipt: WireReceipt): Record<string, WaitingDetail> => {
  const parts: Record<string, WaitingDetail> = {};
  // A slot keeps its batcher, which may be an older one.
  const batchers = new Set(batchersOf(network.platform).map(({ address }) => address));
  for (const log of receipt.logs) {
    if (!batchers.has(log.address.toLowerCase())) continue;
    const failed = failedPart(log);
    const waiting = failed && waitingDetailOf(decodeRevert(failed.reason));
    if (waiting) parts[failed.diamond.toLowerCase()] = waiting;
  }
  return parts;
};

/** The failed part that a log of the batcher reports; null for another log, and for one that no batcher writes. */
const failedPart = ({ topics, data }: WireReceipt['logs'][number]): { diamond: string; reason: string } | null => {
  try {
    const event = contracts.batcher.interface.parseLog({ topics: [...topics], data });
    if (event?.name !== 'BatchFailed') return null;
    return { diamond: event.args['diamond'] as string, reason: event.args['reason'] as string };
  } catch {
    return null;
  }
};

/**
 * The waiting reason when the key had lost its role at that block, as the quorum reports it. When too few endpoints
 * still have that state, the failure counts as a try.
 */
const roleReason = async (
  { rpc, registry, signer, role, network, signal }: LaneRun,
  blockNumber: number,
): Promise<WaitingDetail | null> => {
  const call = {
    to: registry,
    interface: contracts.registry.interface,
    name: 'roleState',
    args: [roleIds[role], signer.address],
  };
  const pick = ([outcome]: readonly RpcOutcome[]) => [outcome && textOf(outcome)];
  const [response] = await rpc.agree([viewRequest(call, quantity(blockNumber))], network.quorum, pick, signal);
  const state = outputOf(call, response) as [enabled: boolean] | undefined;
  return state?.[0] === false ? 'operator_revoked' : null;
};
