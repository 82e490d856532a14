import type { BlockHeader, BlockPlace } from '../../domain/ports/watcher.ts';
import { byNumber, isMost, latestRequest } from '../rpc/calls.ts';
import { RpcError } from '../rpc/error.ts';
import { resultOf, type RpcBatch, type RpcOutcome } from '../rpc/requests.ts';
import { MAX_HEADERS, noteDisagreement, type Scan, type WatchRun } from './context.ts';

interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
}

/** Number of blocks beyond the cursor that are requested with the tip. A watcher that keeps up needs one. */
export const AHEAD = 4;

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

/** The header of an outcome; null where the endpoint failed or has no such block. */
export const headerIn = (outcome: RpcOutcome | undefined): BlockHeader | null =>
  outcome?.ok ? headerOf(outcome) : null;

/** The headers that endpoints give in response to one of their requests. */
export const headersAt = (responses: readonly Pick<RpcBatch, 'outcomes'>[], index: number): BlockHeader[] =>
  responses.flatMap(({ outcomes }) => headerIn(outcomes[index]) ?? []);

export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** The longest run of parents and children from the start of a list. Some chains have no block at some heights. */
const linked = (headers: readonly (BlockHeader | null)[], parentHash: string): BlockHeader[] => {
  const chain: BlockHeader[] = [];
  let expected = parentHash;
  for (const header of headers) {
    if (header === null) continue;
    if (header.parentHash !== expected) break;
    chain.push(header);
    expected = header.hash;
  }
  return chain;
};

/**
 * Keeps a chain up to the first height without a block that the quorum and most endpoints do not lack as well: an endpoint could hide a
 * block by a false parent of the next one.
 */
const withoutHoles = async (
  { rpc, network, signal }: WatchRun,
  endpoint: number,
  from: { readonly number: number },
  headers: BlockHeader[],
): Promise<BlockHeader[]> => {
  const holes = headers.flatMap(({ number }, index) => range((headers[index - 1] ?? from).number + 1, number - 1));
  if (holes.length === 0) return headers;
  const said = await rpc.everyone([latestRequest, ...holes.map(byNumber)], { fewest: network.quorum, signal });
  const isOpen = (hole: number, index: number): boolean => {
    const votes = said.flatMap(({ outcomes: [tip, ...found] }) =>
      found[index]?.ok && (headerIn(tip)?.number ?? -1) > hole ? [found[index].result === null] : [],
    );
    const isPassed = isMost(votes.filter((isHole) => isHole).length, votes.length, network.quorum);
    if (!isPassed && votes.includes(false)) rpc.demoteBriefly(endpoint, 'leaves out a block that another one has');
    return !isPassed;
  };
  const first = holes.find(isOpen);
  return first === undefined ? headers : headers.filter(({ number }) => number < first);
};

/**
 * Reads the headers beyond a block from one endpoint, as far as they are linked and most endpoints hold them. A header without a response
 * ends them.
 * @throws RpcError when there is none, and the endpoint says why
 */
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
  const rest = last >= first ? (await rpc.batch(range(first, last).map(byNumber), { endpoint, signal })).outcomes : [];
  const all = [...known, ...rest.map(headerIn)].slice(0, Math.max(0, last - from.number));
  const found = linked(all, from.hash).slice(0, run.memory.span);
  const failed = rest.find(({ ok }) => !ok);
  if (found.length === 0 && failed !== undefined) resultOf(failed);
  const headers = await heldByMost(run, from, await withoutHoles(run, endpoint, from, found));
  if (headers.length === 0 && found.length > 0) noteDisagreement(run);
  return { rewindTo: null, headers, more: headers.length > 0 && headers.at(-1)!.number < tip };
};

/**
 * Limits how far one endpoint is believed. Before half of the stored headers rest on one endpoint, most responding
 * endpoints must have the last of these blocks, or else the first or its parent. Otherwise a made-up chain could push all real headers
 * out, and no way would lead back.
 * @throws RpcError when they have none of them for long
 */
const heldByMost = async (
  run: WatchRun,
  from: { readonly number: number },
  headers: BlockHeader[],
): Promise<BlockHeader[]> => {
  const { rpc, network, memory, signal } = run;
  const [first, last] = [headers[0], headers.at(-1)];
  if (!first || !last || rpc.endpoints < 2) return headers;
  if (last.number - memory.agreedTo <= Math.max(AHEAD, network.finality / 2)) return headers;
  // A late endpoint has the parent, and so has one on a chain that makes blocks only for transactions.
  const asked = [last, first, { number: from.number, hash: first.parentHash }];
  const requests = asked.map(({ number }) => byNumber(number));
  for (const fewest of rpc.preferred().length < rpc.endpoints ? [network.quorum, rpc.endpoints] : [network.quorum]) {
    const votes = await rpc.everyone(requests, { fewest, signal });
    for (const [index, { number, hash }] of asked.entries()) {
      const said = votes.flatMap(({ outcomes }) => (outcomes[index]?.ok ? [headerOf(outcomes[index])?.hash] : []));
      const same = said.filter((own) => own === hash).length;
      if (same * 2 <= said.length) continue;
      memory.agreedTo = number;
      return number === last.number ? headers : headers.slice(0, AHEAD);
    }
  }
  await rpc.compare(0, signal);
  noteDisagreement(run);
  return [];
};

/**
 * The newest block that the quorum and half of the endpoints have reached, and so many below it, each of which most endpoints have of those
 * that have a block at its height: some may have pruned old blocks.
 * @throws RpcError when they do not agree on the newest one
 */
export const agreedHeaders = async (run: WatchRun, below: number): Promise<BlockHeader[]> => {
  const { rpc, network, signal } = run;
  const those = { fewest: network.quorum, signal };
  const tips = await rpc.everyone([latestRequest], those);
  // Asking them one after another throws the reason.
  if (tips.length === 0) await rpc.batch([latestRequest], { signal });
  const newest = reachedBy(headersAt(tips, 0), network.quorum);
  const numbers = newest === undefined ? [] : range(Math.max(0, newest - below), newest);
  const votes = await rpc.everyone(numbers.map(byNumber), those);
  const agreed = numbers.map((_, index) => {
    const said = headersAt(votes, index);
    return said.find((one) => isMost(said.filter((other) => isSame(one, other)).length, said.length, 1)) ?? null;
  });
  const chain: BlockHeader[] = [];
  for (const header of agreed.toReversed()) {
    if (header === null && chain[0] !== undefined) continue;
    if (header === null || (chain[0] !== undefined && chain[0].parentHash !== header.hash)) break;
    chain.unshift(header);
  }
  if (chain.length > 0) return chain;
  throw new RpcError('inconsistent', 'too few endpoints agree on the newest block');
};

/**
 * The dates of blocks, in Unix seconds, that as many endpoints as the quorum give; undefined where too few have the block. One endpoint
 * could date a true block as it likes.
 */
export const agreedDates = async (
  { rpc, network, signal }: WatchRun,
  blocks: readonly BlockPlace[],
): Promise<readonly (number | undefined)[]> => {
  const dateOf = (outcome: RpcOutcome | undefined, { hash }: BlockPlace): string | undefined => {
    const header = headerIn(outcome);
    return header?.hash === hash ? String(header.timestamp) : undefined;
  };
  const requests = blocks.map(({ number }) => byNumber(number));
  const dates = await rpc.agree(
    requests,
    network.quorum,
    (outcomes) => blocks.map((block, index) => dateOf(outcomes[index], block)),
    signal,
  );
  return blocks.map((_, index) => (dates[index] === undefined ? undefined : Number(dates[index])));
};

/** True when two endpoints say the same of a block: one may give a true hash with a false parent or date. */
const isSame = (a: BlockHeader, b: BlockHeader): boolean =>
  a.hash === b.hash && a.parentHash === b.parentHash && a.timestamp === b.timestamp;

/** The newest height that the quorum and half of these endpoints have reached; undefined when there are too few. */
export const reachedBy = (tips: readonly BlockHeader[], quorum: number): number | undefined =>
  tips.map(({ number }) => number).sort((a, b) => b - a)[Math.max(quorum, Math.ceil(tips.length / 2)) - 1];
