import type { Interface } from 'ethers';
import { decodeDealWords, encodeDealWords, type DealPlace } from '../pure/deal-encoding.ts';
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

/** Deals read by one call at most. */
const MAX_DEALS = 500;

/**
 * Reads the words of deals at one block, many diamonds and deals per call, from as many endpoints as it takes.
 * @param batcher address of the platform's batcher
 * @param block number, tag or block hash object
 * @returns in the order of the deals; undefined where fewer than `quorum` endpoints agree, the block's state is gone, or
 *   the diamond does not answer
 */
export const readDealWords = async (
  { rpc, batcher, quorum, signal }: WordReader,
  deals: readonly DealPlace[],
  block: unknown,
): Promise<(DealWord | undefined)[]> => {
  const parts = Array.from({ length: Math.ceil(deals.length / MAX_DEALS) }, (_, part) =>
    deals.slice(part * MAX_DEALS, (part + 1) * MAX_DEALS),
  );
  const requests = parts.map((part) => ({
    method: 'eth_call',
    params: [{ to: batcher, data: encodeDealWords(part) }, block],
  }));
  // Word by word: one diamond that answers nonsense, or each endpoint something else, holds up no other one.
  const words = await rpc.agree(requests, quorum, (result, index) => wordsOf(parts[index] ?? [], result), signal);
  return deals.map((_, index) => decoded(words[index]));
};

/** Where words are read, and how many endpoints have to agree on them. */
interface WordReader {
  readonly rpc: Rpc;
  readonly batcher: string;
  readonly quorum: number;
  readonly signal?: AbortSignal;
}

const wordsOf = (deals: readonly DealPlace[], answer: unknown): (string | undefined)[] => {
  try {
    return decodeDealWords(deals, answer as string);
  } catch {
    // No answer, or one that no batcher gives: nothing is known.
    return deals.map(() => undefined);
  }
};

const decoded = (word: string | undefined): DealWord | undefined => {
  try {
    return word === undefined ? undefined : decodeDealWord(word);
  } catch {
    // No release writes such a word.
    return undefined;
  }
};
