import { AbiCoder, type Interface } from 'ethers';
import { groupBy } from '../../domain/tools/group-by.ts';
import { contracts } from '../pure/contracts.ts';
import { decodeDealWord, type DealWord } from '../pure/deal-state.ts';
import { resultOf, type RpcRequest } from './endpoint.ts';
import type { Rpc } from './rpc.ts';

/** A number as JSON-RPC wants quantities. */
export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;

/** One read of a contract. */
export interface ViewCall {
  readonly to: string;
  readonly interface: Interface;
  readonly name: string;
  readonly args?: readonly unknown[];
}

/**
 * The JSON-RPC request of a read.
 * @param block number, tag, or block hash object (EIP-1898)
 */
export const viewRequest = (call: ViewCall, block: unknown = 'latest'): RpcRequest => ({
  method: 'eth_call',
  params: [{ to: call.to, data: call.interface.encodeFunctionData(call.name, call.args ?? []) }, block],
});

/**
 * Reads contracts, all from one endpoint in one exchange.
 * @returns the first output of each call, in order; undefined where the address has no code or the call reverts
 * @throws RpcError when no endpoint answers
 */
export const views = async (rpc: Rpc, calls: readonly ViewCall[], block: unknown = 'latest'): Promise<unknown[]> => {
  const { outcomes } = await rpc.batch(calls.map((call) => viewRequest(call, block)));
  return calls.map((call, index) => {
    const outcome = outcomes[index];
    if (!outcome?.ok) {
      if (outcome && outcome.error.revertData === null) throw outcome.error;
      return undefined;
    }
    if (outcome.result === '0x') return undefined;
    const output = call.interface.decodeFunctionResult(call.name, outcome.result as string);
    return output.length === 1 ? (output[0] as unknown) : output;
  });
};

/**
 * Code of several addresses, from one endpoint in one exchange.
 * @returns 0x-prefixed hex, `0x` where there is none
 * @throws RpcError
 */
export const codes = async (rpc: Rpc, addresses: readonly string[], block: unknown = 'latest'): Promise<string[]> => {
  const { outcomes } = await rpc.batch(
    addresses.map((address) => ({ method: 'eth_getCode', params: [address, block] })),
  );
  return outcomes.map((outcome) => resultOf(outcome) as string);
};

/** Where a deal is on the chain. */
interface DealPlace {
  readonly diamond: string;
  readonly dealId: bigint;
}

/** Deals read by one call at most. */
const MAX_IDS = 500;
const NO_WORD = `0x${'0'.repeat(64)}`;

/**
 * Reads the words of deals at one block, many per call, from as many endpoints as it takes.
 * @param block number, tag or block hash object
 * @returns in the order of the deals; undefined where fewer than `quorum` endpoints agree or the block's state is gone
 */
export const readDealWords = async (
  rpc: Rpc,
  deals: readonly DealPlace[],
  block: unknown,
  quorum: number,
  signal?: AbortSignal,
): Promise<(DealWord | undefined)[]> => {
  const indexed = deals.map((deal, index) => ({ ...deal, index }));
  const parts = [...groupBy(indexed, (deal) => deal.diamond)].flatMap(([diamond, own]) =>
    Array.from({ length: Math.ceil(own.length / MAX_IDS) }, (_, part) => ({
      diamond,
      deals: own.slice(part * MAX_IDS, (part + 1) * MAX_IDS),
    })),
  );
  const requests = parts.map((part) => {
    const ids = part.deals.map((deal) => deal.dealId);
    const data = contracts.deal.interface.encodeFunctionData('dealWords', [ids]);
    return { method: 'eth_call', params: [{ to: part.diamond, data }, block] };
  });
  const answers = await rpc.agree(requests, quorum, (result) => result as string, signal);
  const words: (DealWord | undefined)[] = deals.map(() => undefined);
  parts.forEach((part, index) => {
    const answer = answers[index];
    if (answer === undefined) return;
    // Without code there is no diamond, hence no deal.
    const own = answer === '0x' ? null : (AbiCoder.defaultAbiCoder().decode(['bytes32[]'], answer)[0] as string[]);
    part.deals.forEach((deal, i) => (words[deal.index] = decodeDealWord(own?.[i] ?? NO_WORD)));
  });
  return words;
};
