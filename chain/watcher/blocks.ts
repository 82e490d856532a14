import type { BlockHeader, WatchCursor } from '../../domain/ports/watcher.ts';
import { quantity } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import { HaltError, type Scan, type WatchRun } from './context.ts';

interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
}

/** Blocks beyond the cursor that are asked for along with the tip; a watcher that keeps up needs one. */
const AHEAD = 4;
/** Headers of one round, so that its transaction stays short. */
const MAX_HEADERS = 64;
/** Stored headers compared at once on the way back to the common ancestor. */
const STEP_BACK = 32;

const byNumber = (number: number): RpcRequest => ({
  method: 'eth_getBlockByNumber',
  params: [quantity(number), false],
});

const headerOf = (outcome: RpcOutcome | undefined): BlockHeader | null => {
  const block = resultOf(outcome) as WireBlock | null;
  if (block === null) return null;
  return {
    number: Number(block.number),
    hash: block.hash.toLowerCase(),
    parentHash: block.parentHash.toLowerCase(),
    timestamp: Number(block.timestamp),
  };
};

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** The longest run of parents and children from the start of a list. */
const linked = (headers: readonly (BlockHeader | null)[], parentHash: string): BlockHeader[] => {
  const chain: BlockHeader[] = [];
  let expected = parentHash;
  for (const header of headers) {
    if (header === null || header.parentHash !== expected) break;
    chain.push(header);
    expected = header.hash;
  }
  return chain;
};

/**
 * Reads the headers beyond the cursor, or, where the cursor's block is not canonical any more, goes back to the common
 * ancestor and reads the headers beyond that. Before the first round it takes the tip alone.
 * @throws RpcError; HaltError when no stored header is on the chain
 */
export const scanBlocks = async (run: WatchRun, cursor: WatchCursor | null): Promise<Scan> => {
  const { rpc, signal } = run;
  if (cursor === null) {
    const { endpoint, outcomes } = await rpc.batch([{ method: 'eth_getBlockByNumber', params: ['latest', false] }], {
      signal,
    });
    const tip = headerOf(outcomes[0]);
    return { endpoint, rewindTo: null, headers: tip ? [tip] : [], more: false };
  }
  const ahead = range(cursor.number, cursor.number + AHEAD).map(byNumber);
  const { endpoint, outcomes } = await rpc.batch(
    [{ method: 'eth_getBlockByNumber', params: ['latest', false] }, ...ahead],
    { signal },
  );
  const [tip, own, ...next] = outcomes.map(headerOf);
  if (!tip) throw new RpcError('malformed', 'the endpoint has no newest block');
  if (own?.hash === cursor.hash) return extend(run, endpoint, cursor, tip.number, next);
  const ancestor = await commonAncestor(run, endpoint, cursor, tip);
  // An endpoint that is behind, on the same chain.
  if (ancestor.number === cursor.number || (own == null && ancestor.number === tip.number)) {
    return { endpoint, rewindTo: null, headers: [], more: false };
  }
  const scan = await extend(run, endpoint, ancestor, tip.number, []);
  // The round that forgets blocks must know what came in their place.
  return { ...scan, rewindTo: scan.headers.length > 0 ? ancestor.number : null };
};

const extend = async (
  { rpc, signal }: WatchRun,
  endpoint: number,
  from: { readonly number: number; readonly hash: string },
  tip: number,
  known: readonly (BlockHeader | null)[],
): Promise<Scan> => {
  const last = Math.min(tip, from.number + MAX_HEADERS);
  const first = from.number + known.length + 1;
  const rest =
    last >= first
      ? (await rpc.batch(range(first, last).map(byNumber), { endpoint, signal })).outcomes.map(headerOf)
      : [];
  const headers = linked([...known, ...rest].slice(0, Math.max(0, last - from.number)), from.hash);
  return { endpoint, rewindTo: null, headers, more: (headers.at(-1)?.number ?? tip) < tip };
};

const commonAncestor = async (
  { rpc, store, lease, network, signal }: WatchRun,
  endpoint: number,
  cursor: WatchCursor,
  tip: BlockHeader,
): Promise<{ number: number; hash: string }> => {
  let to = Math.min(cursor.number, tip.number);
  for (;;) {
    const stored = await store.headers(lease, Math.max(0, to - STEP_BACK + 1), to);
    if (stored.length === 0) break;
    const { outcomes } = await rpc.batch(
      stored.map(({ number }) => byNumber(number)),
      { endpoint, signal },
    );
    const live = outcomes.map(headerOf);
    const found = stored.find((header, index) => live[index]?.hash === header.hash);
    if (found) return found;
    to = (stored.at(-1)?.number ?? 0) - 1;
  }
  throw new HaltError(`none of the stored blocks of ${network.name} is on the chain any more`);
};

/** The newest block with the network's confirmations after a round: `block + N <= tip + 1`. */
const confirmedBy = (scanned: number, confirmations: number): number => scanned - confirmations + 1;

/**
 * The header of the block that the round confirms, when it is newer than the stored one and as many endpoints as the
 * quorum asks for have it.
 * @returns null when there is none, or when endpoints do not agree (yet)
 */
export const newlyConfirmed = async (
  { rpc, store, lease, network, signal }: WatchRun,
  cursor: WatchCursor | null,
  scan: Scan,
): Promise<BlockHeader | null> => {
  const scanned = scan.headers.at(-1)?.number ?? cursor?.number;
  if (scanned === undefined) return null;
  const number = confirmedBy(scanned, network.confirmations);
  if (number <= (cursor?.confirmedNumber ?? -1)) return null;
  const header =
    scan.headers.find((candidate) => candidate.number === number) ??
    (await store.headers(lease, number, number)).at(0) ??
    null;
  // Before the first N blocks have been seen there is nothing to confirm.
  if (header === null || network.quorum <= 1) return header;
  const [hash] = await rpc.agree(
    [{ method: 'eth_getBlockByNumber', params: [quantity(number), false] }],
    network.quorum,
    (block) => [(block as { hash: string } | null | undefined)?.hash.toLowerCase()],
    signal,
  );
  return hash === header.hash ? header : null;
};
