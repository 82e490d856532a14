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
  readonly effectiveGasPrice: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

/** A slot's receipt from one endpoint. */
interface ToldReceipt {
  readonly slotId: string;
  readonly receipt: WireReceipt;
}

const placeOf = ({ blockHash, blockNumber, status }: WireReceipt): string =>
  [blockHash.toLowerCase(), Number(blockNumber), Number(status)].join();

/**
 * Keeps receipts that the quorum confirms: a false one would close a slot that was never mined. Others are read again.
 */
export const borneOut = async (
  { rpc, network, signal }: LaneRun,
  told: readonly ToldReceipt[],
): Promise<ToldReceipt[]> => {
  if (network.quorum <= 1 || told.length === 0) return [...told];
  const requests = told.map(({ receipt }) => receiptRequest(receipt.transactionHash));
  const pick = (outcomes: readonly RpcOutcome[]): (string | undefined)[] =>
    told.map((_, index) => {
      const outcome = outcomes[index];
      return outcome?.ok && outcome.result !== null ? placeOf(outcome.result as WireReceipt) : undefined;
    });
  const places = await rpc.agree(requests, network.quorum, pick, signal);
  return told.filter(({ receipt }, index) => places[index] === placeOf(receipt));
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
    const event = contracts.batcher.interface.parseLog({ topics: [...log.topics], data: log.data });
    if (event?.name !== 'BatchFailed') continue;
    const waiting = waitingDetailOf(decodeRevert(event.args['reason'] as string));
    if (waiting !== null) parts[(event.args['diamond'] as string).toLowerCase()] = waiting;
  }
  return parts;
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
