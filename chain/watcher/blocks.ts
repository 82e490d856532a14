import type { BlockHeader, WatchCursor } from '../../domain/ports/watcher.ts';
import { quantity } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import { HaltError, type Scan, type WatchRun } from './context.ts';
import { measure } from '../../measures.ts';

interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
}

/** Number of blocks beyond the cursor that are requested with the tip. A watcher that keeps up needs one. */
const AHEAD = 4;
/** Most headers of one round, so that its transaction stays short. */
const MAX_HEADERS = 64;
/** Number of stored headers compared at once on the way back to the common ancestor. */
const STEP_BACK = 32;

const latest: RpcRequest = { method: 'eth_getBlockByNumber', params: ['latest', false] };

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
 * Reads the headers beyond the cursor. Where the cursor's block is no longer canonical, goes back to the common ancestor
 * and reads the headers beyond it. The first round takes the tip alone.
 * @param more further requests for the same endpoint, in the same exchange
 * @throws RpcError; HaltError when no stored header is on the chain
 */
export const scanBlocks = async (
  run: WatchRun,
  cursor: WatchCursor | null,
  more: readonly RpcRequest[] = [],
): Promise<Scan> => {
  const { rpc, signal } = run;
  if (cursor === null) {
    const { outcomes } = await rpc.batch([latest], { signal });
    const tip = headerOf(outcomes[0]);
    return { rewindTo: null, headers: tip ? await borneOut(run, [tip]) : [], more: false, responses: [] };
  }
  const numbers = range(cursor.number, cursor.number + AHEAD);
  const { endpoint, outcomes } = await rpc.batch([latest, ...numbers.map(byNumber), ...more], {
    signal,
    accept: (responses) => requireConsistent(responses.slice(0, numbers.length + 1).map(headerOf), cursor),
  });
  const [tip, own, ...next] = outcomes.slice(0, numbers.length + 1).map(headerOf) as [BlockHeader, BlockHeader | null];
  const responses = outcomes.slice(numbers.length + 1);
  measure('round', { network: run.network.name, behind: Math.max(0, tip.number - cursor.number) });
  if (own?.hash === cursor.hash) return { ...(await extend(run, endpoint, cursor, tip.number, next)), responses };
  return { ...(await settleFork(run, cursor, tip)), responses };
};

/** Rejects an endpoint that contradicts itself, so that the next one is asked. */
const requireConsistent = (
  [tip, own, next]: readonly (BlockHeader | null | undefined)[],
  { number, hash }: WatchCursor,
): void => {
  const isMissing = (tip!.number >= number && !own) || (tip!.number > number && !next);
  const isNoChild = own?.hash === hash && next != null && next.parentHash !== hash;
  if (isMissing || isNoChild) throw new RpcError('inconsistent', 'its own newest blocks do not fit together');
};

const extend = async (
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
const borneOut = async (run: WatchRun, headers: BlockHeader[]): Promise<BlockHeader[]> => {
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

/**
 * Decides what follows when an endpoint does not have the cursor's block. If it is only behind, nothing changes.
 * Otherwise all endpoints vote, and the stored blocks are given up only if the quorum and the largest group have
 * another block.
 */
const settleFork = async (run: WatchRun, cursor: WatchCursor, tip: BlockHeader): Promise<Omit<Scan, 'responses'>> => {
  const { store, lease } = run;
  const unchanged = { rewindTo: null, headers: [], more: false };
  const height = Math.min(tip.number, cursor.number);
  const [stored] = await store.headers(lease, height, height);
  if (tip.number < cursor.number && stored?.hash === tip.hash) return unchanged;
  const decision = await vote(run, height, stored);
  if (decision === null) return unchanged;
  if (decision.isOurs) return { ...unchanged, more: decision.isContested };
  const { ancestor, endpoint, tip: target } = await commonAncestor(run, decision.camp, height);
  run.memory.borneOut = ancestor.number;
  const scan = await extend(run, endpoint, ancestor, target.number, []);
  // A rewind without new headers would leave a gap.
  return { ...scan, rewindTo: scan.headers.length > 0 ? ancestor.number : null };
};

/**
 * Decides by the vote of all endpoints whether the chain is the one that the stored blocks belong to.
 * @returns false without a quorum
 * @throws RpcError; HaltError when no stored header is on the chain
 */
export const isStoredChain = async (run: WatchRun, cursor: WatchCursor): Promise<boolean> => {
  const { rpc, store, lease, signal } = run;
  const tip = headerOf((await rpc.batch([latest], { signal })).outcomes[0]);
  if (tip === null) return false;
  const height = Math.min(tip.number, cursor.number);
  const [stored] = await store.headers(lease, height, height);
  const decision = await vote(run, height, stored);
  if (decision?.isOurs === false) await commonAncestor(run, decision.camp, height);
  return decision !== null;
};

/** An endpoint that has a block at a height. */
interface Vote {
  readonly endpoint: number;
  readonly tip: BlockHeader;
  readonly hash: string;
}

/** The outcome of a vote. */
interface Decision {
  /** The endpoints that have the decided block. */
  readonly camp: readonly Vote[];
  /** True when that is the stored block. */
  readonly isOurs: boolean;
  /** True when some endpoints have another one. */
  readonly isContested: boolean;
}

/** Lets all endpoints vote on the block at a height, and demotes those of the smaller groups; null without a quorum. */
const vote = async (run: WatchRun, height: number, stored: BlockHeader | undefined): Promise<Decision | null> => {
  const { rpc, network, signal } = run;
  const votes = (await rpc.everyone([latest, byNumber(height)], { fewest: network.quorum, signal })).flatMap(
    ({ endpoint, outcomes }): Vote[] => {
      const [newest, header] = outcomes.map((outcome) => (outcome.ok ? headerOf(outcome) : null));
      return newest && header ? [{ endpoint, tip: newest, hash: header.hash }] : [];
    },
  );
  const isOurs = (hash: string): number => Number(hash === stored?.hash);
  const longest = (camp: readonly Vote[]): number => Math.max(...camp.map(({ tip }) => tip.number));
  const [camp, ...others] = [...Map.groupBy(votes, ({ hash }) => hash).values()].sort(
    (a, b) => b.length - a.length || longest(b) - longest(a) || isOurs(b[0]!.hash) - isOurs(a[0]!.hash),
  );
  if (camp === undefined || camp.length < network.quorum) return null;
  for (const { endpoint } of others.flat()) rpc.demoteBriefly(endpoint, 'is on another fork than the others');
  return { camp, isOurs: camp[0]!.hash === stored?.hash, isContested: others.length > 0 };
};

/**
 * Finds the newest stored block that is on the chain of a camp, from the member with the longest chain. A member that has
 * none of the stored blocks may lie, so the next one is asked.
 * @throws RpcError; HaltError when the quorum and most of the camp have none of them
 */
const commonAncestor = async (
  run: WatchRun,
  camp: readonly Vote[],
  height: number,
): Promise<Vote & { readonly ancestor: BlockHeader }> => {
  const { rpc, network } = run;
  const enough = Math.max(network.quorum, Math.floor(camp.length / 2) + 1);
  const longestFirst = camp.toSorted((a, b) => b.tip.number - a.tip.number);
  for (const [denying, member] of longestFirst.slice(0, enough).entries()) {
    const ancestor = await ancestorBy(run, member.endpoint, height);
    if (ancestor === null) continue;
    for (const { endpoint } of longestFirst.slice(0, denying))
      rpc.demoteBriefly(endpoint, 'has none of the stored blocks, and another one has some');
    return { ...member, ancestor };
  }
  throw new HaltError(`none of the stored blocks of ${network.name} is on the chain any more`);
};

/** The newest stored block that an endpoint has; null when it has none of them. */
const ancestorBy = async (
  { rpc, store, lease, signal }: WatchRun,
  endpoint: number,
  height: number,
): Promise<BlockHeader | null> => {
  let to = height;
  for (;;) {
    const stored = await store.headers(lease, Math.max(0, to - STEP_BACK + 1), to);
    if (stored.length === 0) return null;
    const { outcomes } = await rpc.batch(
      stored.map(({ number }) => byNumber(number)),
      { endpoint, signal },
    );
    const live = outcomes.map(headerOf);
    // The endpoint has a newer block, so it is only late with these. Treating them as gone would go back too far.
    if (live.includes(null)) {
      rpc.demoteBriefly(endpoint, 'lacks blocks below its newest one');
      throw new RpcError('inconsistent', 'an endpoint lacks blocks below its newest one');
    }
    const found = stored.find((header, index) => live[index]?.hash === header.hash);
    if (found) return found;
    to = (stored.at(-1)?.number ?? 0) - 1;
  }
};

/** The newest block with the network's confirmations after a round: `block + N <= tip + 1`. */
const confirmedBy = (scanned: number, confirmations: number): number => scanned - confirmations + 1;

/**
 * The header of the block that this round confirms, when it is newer than the stored one. A judgement checks whether other
 * endpoints have it, too.
 * @returns null when there is none
 */
export const newlyConfirmed = async (
  { store, lease, network }: WatchRun,
  cursor: WatchCursor | null,
  scan: Scan,
): Promise<BlockHeader | null> => {
  const scanned = scan.headers.at(-1)?.number ?? cursor?.number;
  if (scanned === undefined) return null;
  const number = confirmedBy(scanned, network.confirmations);
  if (number <= (cursor?.confirmedNumber ?? -1)) return null;
  return (
    scan.headers.find((candidate) => candidate.number === number) ??
    (await store.headers(lease, number, number)).at(0) ??
    // The chain is shorter than the network's confirmations.
    null
  );
};
