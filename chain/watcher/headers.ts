import type { BlockHeader } from '../../domain/ports/watcher.ts';
import { byNumber } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome } from '../rpc/requests.ts';
import type { Scan, WatchRun } from './context.ts';

interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
}

/** Number of blocks beyond the cursor that are requested with the tip. A watcher that keeps up needs one. */
export const AHEAD = 4;
/** Most headers of one round, so that its transaction stays short. */
export const MAX_HEADERS = 64;

export const headerOf = (outcome: RpcOutcome | undefined): BlockHeader | null => {
  const block = resultOf(outcome) as WireBlock | null;
  if (block === null) return null;
  return {
    number: Number(block.number),
    hash: block.hash.toLowerCase(),
    parentHash: block.parentHash.toLowerCase(),
    timestamp: Number(block.timestamp),
  };
};

export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** The longest run of parents and children from the start of a list. */
export const linked = (headers: readonly (BlockHeader | null)[], parentHash: string): BlockHeader[] => {
  const chain: BlockHeader[] = [];
  let expected = parentHash;
  for (const header of headers) {
    if (header === null || header.parentHash !== expected) break;
    chain.push(header);
    expected = header.hash;
  }
  return chain;
};

/** Reads the headers beyond a block from one endpoint, as far as they are linked and borne out. */
export const extend = async (
  run: WatchRun,
  endpoint: number,
  from: { readonly number: number; readonly hash: string },
  tip: number,
  known: readonly (BlockHeader | null)[],
): Promise<Omit<Scan, 'responses'>> => {
  const { rpc, signal } = run;
  const last = Math.min(tip, from.number + MAX_HEADERS);
  const first = from.number + known.length + 1;
  const rest =
    last >= first
      ? (await rpc.batch(range(first, last).map(byNumber), { endpoint, signal })).outcomes.map(headerOf)
      : [];
  const found = linked([...known, ...rest].slice(0, Math.max(0, last - from.number)), from.hash);
  const headers = await borneOut(run, found);
  return { rewindTo: null, headers, more: headers.length > 0 && headers.at(-1)!.number < tip };
};

/**
 * Limits how far one endpoint is believed. Before half of the stored headers rest on one endpoint, most responding
 * endpoints must have the last of these blocks, or else the first. Otherwise a made-up chain could push all real headers
 * out, and no way would lead back.
 */
export const borneOut = async (run: WatchRun, headers: BlockHeader[]): Promise<BlockHeader[]> => {
  const { rpc, network, memory, signal } = run;
  const [first, last] = [headers[0], headers.at(-1)];
  if (!first || !last || rpc.endpoints < 2) return headers;
  if (last.number - memory.borneOut <= Math.max(AHEAD, network.finality / 2)) return headers;
  const asked = [last, first];
  const votes = await rpc.everyone(
    asked.map(({ number }) => byNumber(number)),
    { fewest: network.quorum, signal },
  );
  for (const [index, { number, hash }] of asked.entries()) {
    const said = votes.flatMap(({ outcomes }) => (outcomes[index]?.ok ? [headerOf(outcomes[index])?.hash] : []));
    const same = said.filter((own) => own === hash).length;
    if (same * 2 <= said.length) continue;
    memory.borneOut = number;
    return number === last.number ? headers : headers.slice(0, AHEAD);
  }
  await rpc.compare(0, signal);
  return [];
};
