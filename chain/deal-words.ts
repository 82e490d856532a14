import { decodeDealWords, encodeDealWords, type DealPlace } from './pure/deal-encoding.ts';
import { decodeDealWord, type DealWord } from './pure/deal-state.ts';
import { byNumber, refusalIn } from './rpc/calls.ts';
import { RpcError } from './rpc/error.ts';
import { isOfTransport } from './rpc/member.ts';
import { resultOf, type RpcOutcome } from './rpc/requests.ts';
import type { Rpc } from './rpc/rpc.ts';

/** Most deals that one call reads. */
const MAX_DEALS = 500;

/** A confirmed block, and the words of deals at it. */
export interface ReadWords {
  /** Unix seconds; undefined where fewer than `quorum` endpoints have the block at its number. */
  readonly timestamp: number | undefined;
  /** In the order of the deals; undefined where too few endpoints agree, or the diamond does not respond. */
  readonly words: readonly (DealWord | undefined)[];
  /**
   * The error of an endpoint that refuses to read words at this block, or fails at it while too few others respond; undefined when all words
   * were read.
   */
  readonly refused?: RpcError;
}

/**
 * Reads the words of deals at one block, many diamonds and deals per call, from as many endpoints as necessary. A
 * response counts only when its endpoint has this very block at the block's number.
 */
export const readDealWords = async (
  { rpc, batcher, quorum, signal }: WordReader,
  deals: readonly DealPlace[],
  block: { readonly number: number; readonly hash: string },
): Promise<ReadWords> => {
  const parts = Array.from({ length: Math.ceil(deals.length / MAX_DEALS) }, (_, part) =>
    deals.slice(part * MAX_DEALS, (part + 1) * MAX_DEALS),
  );
  const requests = [
    byNumber(block.number),
    ...parts.map((part) => ({
      method: 'eth_call',
      // By the hash, because several nodes may respond behind one URL.
      params: [{ to: batcher, data: encodeDealWords(part) }, { blockHash: block.hash }],
    })),
  ];
  let refused: RpcError | undefined;
  let failure: RpcError | undefined;
  let responding = 0;
  // Word by word, so that one diamond with nonsense or contradictory responses does not hold up the others.
  const pick = (outcomes: readonly RpcOutcome[]): (string | undefined)[] => {
    const [header, ...responses] = outcomes;
    const found = header?.ok ? (header.result as { hash: string; timestamp: string } | null) : null;
    // An endpoint that does not have the block yet refuses nothing.
    if (found?.hash.toLowerCase() !== block.hash) return [undefined, ...deals.map(() => undefined)];
    refused ??= refusalIn(outcomes);
    const failed = responses.find((response) => !response.ok && isOfTransport(response.error));
    if (failed?.ok === false) failure ??= failed.error;
    else responding += 1;
    return [String(Number(found.timestamp)), ...parts.flatMap((part, index) => wordsOf(part, responses[index]))];
  };
  const tellFailure = (error: RpcError): void => void (failure ??= error);
  const [timestamp, ...words] = await rpc.agree(requests, quorum, pick, signal, tellFailure);
  if (failure !== undefined && responding < quorum) refused ??= asRefusal(failure);
  return {
    timestamp: timestamp === undefined ? undefined : Number(timestamp),
    words: deals.map((_, index) => decoded(words[index])),
    ...(refused && (timestamp === undefined || words.includes(undefined)) ? { refused } : {}),
  };
};

/** An endpoint that serves blocks and fails at reading words counts as refusing that, with any error: it is reachable. */
const asRefusal = ({ message }: RpcError): RpcError => new RpcError('rejected', message, { method: 'eth_call' });

/** Where words are read, and how many endpoints must agree on them. */
interface WordReader {
  readonly rpc: Rpc;
  readonly batcher: string;
  readonly quorum: number;
  readonly signal?: AbortSignal;
}

const wordsOf = (deals: readonly DealPlace[], response: RpcOutcome | undefined): (string | undefined)[] => {
  try {
    return decodeDealWords(deals, resultOf(response) as string);
  } catch {
    // No response, or one that no batcher gives.
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
