import type { BlockHeader, WatchCursor } from '../../domain/ports/watcher.ts';
import { byNumber, isMost, latestRequest } from '../rpc/calls.ts';
import { tolerance } from '../rpc/compare.ts';
import { RpcError } from '../rpc/error.ts';
import { worst } from '../rpc/failover.ts';
import { HaltError, noteDisagreement, type Scan, type WatchRun } from './context.ts';
import { extend, headerIn, headerOf, headersAt, reachedBy } from './headers.ts';

/*
 * Where an endpoint does not have the stored blocks, all endpoints decide: the block of the quorum and of most of them counts, at every
 * step. One endpoint alone neither removes stored blocks nor halts a network, nor does it keep the others from going on.
 */

/** Number of stored headers compared at once on the way back to the common ancestor. */
const STEP_BACK = 32;

/**
 * Decides what follows when an endpoint does not have the cursor's block. If it is only behind, nothing changes.
 * @throws RpcError; HaltError when no stored block is on the chain
 */
export const settleFork = async (
  run: WatchRun,
  cursor: WatchCursor,
  tip: BlockHeader,
): Promise<Omit<Scan, 'responses'>> => {
  const { store, lease } = run;
  const unchanged = { rewindTo: null, headers: [], more: false };
  const [stored] = tip.number < cursor.number ? await store.headers(lease, tip.number, tip.number) : [];
  if (stored?.hash === tip.hash) return { ...unchanged, isBehind: true };
  const decision = await vote(run, cursor.number);
  // The asked endpoint has another block than the cursor's, which a vote below the cursor does not explain.
  const isOpen = decision === null || (decision.isOurs && decision.height < Math.min(tip.number, cursor.number));
  if (isOpen) noteDisagreement(run);
  if (decision === null) return unchanged;
  if (decision.isOurs) return { ...unchanged, more: decision.isContested };
  const found = await commonAncestor(run, decision);
  return found === null ? { ...unchanged, isBehind: true } : ((await followFork(run, found)) ?? unchanged);
};

/**
 * Follows the chain of most endpoints when they do not have a stored block below the cursor. An endpoint may have linked true blocks to
 * an invented one.
 * @returns null when no stored block is contested
 * @throws RpcError; HaltError when no stored block is on the chain
 */
export const settleContested = async (run: WatchRun, cursor: WatchCursor): Promise<Omit<Scan, 'responses'> | null> => {
  const { memory } = run;
  const height = memory.contested;
  memory.contested = null;
  if (height === null || height > cursor.number) return null;
  const decision = await vote(run, height);
  if (decision === null || decision.isOurs) return null;
  const found = await commonAncestor(run, decision);
  return found && followFork(run, found);
};

/**
 * Checks blocks whose logs came from fewer endpoints than asked. If most endpoints have another block at the height of one, that block is
 * invented, and the endpoints that gave its logs are demoted.
 * @throws RpcError if so
 */
export const requireUncontested = async (
  run: WatchRun,
  headers: readonly BlockHeader[],
  tellers: readonly { readonly endpoint: number }[],
): Promise<void> => {
  const { rpc, network, memory, signal } = run;
  const others = rpc.preferred().filter((index) => !tellers.some(({ endpoint }) => endpoint === index)).length;
  if (!isMost(others, others + tellers.length, network.quorum)) return;
  const requests = headers.map(({ number }) => byNumber(number));
  const responses = await rpc.everyone(requests, { fewest: 1, signal });
  const contested = headers.find(({ hash }, index) => {
    const said = headersAt(responses, index);
    return isMost(said.filter((own) => own.hash !== hash).length, said.length, network.quorum);
  });
  if (contested === undefined) return;
  for (const { endpoint } of tellers) rpc.demoteBriefly(endpoint, 'has logs of a block that the others do not have');
  memory.contested = contested.number;
  throw new RpcError('inconsistent', 'most endpoints do not have a block');
};

/**
 * Finds out by all endpoints whether the chain is the one that the stored blocks belong to.
 * @returns false while too few agree
 * @throws RpcError; HaltError when no stored block is on the chain
 */
export const isStoredChain = async (run: WatchRun, cursor: WatchCursor): Promise<boolean> => {
  const decision = await vote(run, cursor.number);
  if (decision === null) return false;
  return decision.isOurs || (await commonAncestor(run, decision)) !== null;
};

/** Demotes endpoints that have a block which the quorum and most of them do not have. No endpoint has given its logs. */
export const demoteInventors = async (run: WatchRun, { number, hash }: BlockHeader): Promise<void> => {
  const { rpc, network } = run;
  const said = await blocksAt(run, number);
  const having = said.filter((one) => one.hash === hash);
  if (!isMost(said.length - having.length, said.length, network.quorum)) return;
  for (const { endpoint } of having)
    rpc.demoteBriefly(endpoint, 'has a block that the others do not have, and no logs of it');
};

/** An endpoint that has a block at a height. */
interface Vote {
  readonly endpoint: number;
  readonly tip: BlockHeader;
  readonly hash: string;
}

/** The outcome of a vote. */
interface Decision {
  readonly height: number;
  /** The endpoints that have the decided block, those with the longest chain first. */
  readonly camp: readonly Vote[];
  /** True when that is the stored block. */
  readonly isOurs: boolean;
  /** True when some endpoints have another one. */
  readonly isContested: boolean;
}

/** The newest blocks of all endpoints that respond, and their blocks at a height. */
const blocksAt = async ({ rpc, network, signal }: WatchRun, height: number, fewest = network.quorum) => {
  const said = await rpc.everyone([latestRequest, byNumber(height)], { fewest, signal });
  return said.flatMap(({ endpoint, outcomes }) => {
    const [tip, header] = outcomes.map(headerIn);
    return tip ? [{ endpoint, tip, hash: header?.hash }] : [];
  });
};

const votesOf = (said: Awaited<ReturnType<typeof blocksAt>>): Vote[] =>
  said.flatMap(({ hash, ...one }) => (hash === undefined ? [] : [{ ...one, hash }]));

/**
 * Finds the largest group of votes, and demotes the others. Of equal groups that with the stored block counts where the quorum is above
 * one, because half of the endpoints must not remove blocks; else that with the longest chain.
 * @returns null without a quorum
 */
const divide = (
  { rpc, network }: WatchRun,
  votes: readonly Vote[],
  ours?: string,
): Pick<Decision, 'camp' | 'isContested'> | null => {
  const longest = (camp: readonly Vote[]): number => Math.max(...camp.map(({ tip }) => tip.number));
  const isOurs = ([first]: readonly Vote[]): number => Number(first!.hash === ours);
  const ofEqual = (a: readonly Vote[], b: readonly Vote[]): number =>
    network.quorum > 1 ? isOurs(b) - isOurs(a) : longest(b) - longest(a) || isOurs(b) - isOurs(a);
  const [camp, ...others] = [...Map.groupBy(votes, ({ hash }) => hash).values()].sort(
    (a, b) => b.length - a.length || ofEqual(a, b),
  );
  if (camp === undefined || camp.length < network.quorum) return null;
  const isTie = camp.length === others[0]?.length;
  if (isTie && network.quorum > 1 && isOurs(camp) === 0) return null;
  for (const { endpoint } of others.flat()) rpc.demoteBriefly(endpoint, 'is on another fork than the others');
  return { camp: camp.toSorted((a, b) => b.tip.number - a.tip.number), isContested: others.length > 0 };
};

/** Lets endpoints vote: those that are not demoted, and all where these do not decide, because a demoted one may be well again. */
const vote = async (run: WatchRun, highest: number): Promise<Decision | null> => {
  const { rpc, network } = run;
  const decision = await voteOf(run, highest, network.quorum);
  return decision ?? (rpc.preferred().length < rpc.endpoints ? voteOf(run, highest, rpc.endpoints) : null);
};

/**
 * Lets endpoints vote on the block at a height, or at the newest one below that the quorum and half of them have reached.
 * @returns null without a quorum
 * @throws RpcError when no endpoint responds
 */
const voteOf = async (run: WatchRun, highest: number, fewest: number): Promise<Decision | null> => {
  const { rpc, network, store, lease, signal } = run;
  let said = await blocksAt(run, highest, fewest);
  // Asking them one after another throws the reason.
  if (said.length === 0) await rpc.batch([latestRequest], { signal });
  // Endpoints that stopped to sync would hold the vote at their height.
  const near = said.filter(({ tip }) => tip.number >= highest - tolerance(network.blockTimeMs));
  const reached = reachedBy(
    (near.length >= network.quorum ? near : said).map(({ tip }) => tip),
    network.quorum,
  );
  if (reached === undefined) return null;
  let height = Math.min(reached, highest);
  if (height < highest) said = await blocksAt(run, height, fewest);
  // A chain may have no block at the height of a stored one, which was reorganised away: then they vote on the stored one before it.
  const isHole = said.length > 0 && said.every(({ tip, hash }) => tip.number > height && hash === undefined);
  const [before] = isHole ? await store.headers(lease, Math.max(0, height - STEP_BACK), height - 1) : [];
  if (before !== undefined) {
    height = before.number;
    said = await blocksAt(run, height, fewest);
  }
  const [stored] = await store.headers(lease, height, height);
  const divided = divide(run, votesOf(said), stored?.hash);
  return divided && { height, ...divided, isOurs: before === undefined && divided.camp[0]!.hash === stored?.hash };
};

/** A stored block that is on the chain, and the endpoints that have it, those with the longest chain first. */
interface Ancestor {
  readonly ancestor: BlockHeader;
  readonly members: readonly Vote[];
}

/**
 * Finds the newest stored block that the quorum and most of a camp have.
 * @returns null when they have none because they are behind all stored blocks
 * @throws RpcError when too few agree; HaltError when the quorum and most of the camp have none of the stored blocks
 */
const commonAncestor = async (run: WatchRun, { camp, height }: Decision): Promise<Ancestor | null> => {
  const { store, lease, network } = run;
  const isEnough = (count: number): boolean => isMost(count, camp.length, network.quorum);
  for (let to = height; ;) {
    const stored = await store.headers(lease, Math.max(0, to - STEP_BACK + 1), to);
    if (stored.length === 0) {
      if (to === height && isEnough(await countAtStart(run, camp))) return null;
      throw new HaltError(`none of the stored blocks of ${network.name} is on the chain any more`);
    }
    const shown = await show(run, camp, height, stored);
    for (const [index, ancestor] of stored.entries()) {
      const have = shown.filter(({ live }) => live[index]?.hash === ancestor.hash);
      if (!isEnough(have.length) && !isEnough(shown.length - have.length))
        throw new RpcError('inconsistent', 'too few endpoints agree where the chain leaves the stored blocks');
      if (!isEnough(have.length)) continue;
      for (const one of shown.filter((other) => !have.includes(other)))
        run.rpc.demoteBriefly(one.member.endpoint, 'lacks a stored block that the others have');
      return { ancestor, members: have.map(({ member }) => member) };
    }
    to = (stored.at(-1)?.number ?? 0) - 1;
  }
};

/**
 * Counts the members of a camp that have the network's first block, or have pruned it: their chain is the right one, and only behind all
 * stored blocks.
 */
const countAtStart = async (run: WatchRun, camp: readonly Vote[]): Promise<number> => {
  const { genesisHash } = run.network;
  if (genesisHash === null) return 0;
  const said = await blocksAt(run, 0);
  return said.filter(
    ({ endpoint, hash = genesisHash }) => hash === genesisHash && camp.some((member) => member.endpoint === endpoint),
  ).length;
};

/** The blocks of one member of a camp at the heights of stored ones. */
interface Shown {
  readonly member: Vote;
  readonly live: readonly (BlockHeader | null)[];
}

/**
 * Asks each member of a camp for its blocks at the heights of stored ones. It must show the decided block in the same exchange, because a
 * load balancer may serve two chains. As it has a newer block, it is only late with one that it lacks. Members that fail are demoted.
 */
const show = async (
  { rpc, signal }: WatchRun,
  camp: readonly Vote[],
  height: number,
  stored: readonly BlockHeader[],
): Promise<Shown[]> => {
  const requests = [height, ...stored.map(({ number }) => number)].map(byNumber);
  const ask = async (member: Vote): Promise<Shown> => {
    const { outcomes } = await rpc.batch(requests, { endpoint: member.endpoint, signal });
    const [decided, ...live] = outcomes.map(headerOf);
    if (decided?.hash === member.hash && !live.includes(null)) return { member, live };
    throw new RpcError('inconsistent', 'an endpoint lacks blocks below its newest one');
  };
  const shown = await Promise.all(
    camp.map((member) => ask(member).catch((error: unknown) => demoteFor(rpc, member.endpoint, error))),
  );
  return shown.flatMap((one) => (one instanceof RpcError ? [] : [one]));
};

/** Demotes an endpoint for an error, which it returns, and throws any other one. */
const demoteFor = (rpc: WatchRun['rpc'], endpoint: number, error: unknown): RpcError => {
  if (!(error instanceof RpcError) || error.kind === 'aborted') throw error;
  rpc.demoteBriefly(endpoint, error.message);
  return error;
};

/**
 * Reads the chain beyond the common ancestor, from the first member that has one.
 * @returns null when the chain ends there: a rewind without new headers would leave a gap
 * @throws RpcError when members fail and none has one
 */
const followFork = async (run: WatchRun, { ancestor, members }: Ancestor): Promise<Omit<Scan, 'responses'> | null> => {
  const { rpc, memory } = run;
  memory.agreedTo = ancestor.number;
  let failure: RpcError | undefined;
  for (const { endpoint, tip } of members) {
    const scan = await extend(run, endpoint, ancestor, tip.number, []).catch((error: unknown) =>
      demoteFor(rpc, endpoint, error),
    );
    if (scan instanceof RpcError) failure = worst(failure, scan);
    else if (scan.headers.length > 0) return { ...scan, rewindTo: ancestor.number };
    else if (tip.number > ancestor.number) rpc.demoteBriefly(endpoint, 'its own blocks do not fit together');
  }
  if (failure !== undefined) throw failure;
  return null;
};
