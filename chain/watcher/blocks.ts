import type { BlockHeader, WatchCursor } from '../../domain/ports/watcher.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { byNumber, latestRequest } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import { MAX_HEADERS, type Scan, type WatchRun } from './context.ts';
import { settleContested, settleFork } from './fork.ts';
import { agreedHeaders, AHEAD, extend, headerIn, headerOf, headersAt, range, reachedBy } from './headers.ts';
import { measure } from '../../runtime/measures.ts';

/**
 * Reads the headers beyond the cursor. Where the cursor's block is no longer canonical, goes back to the common ancestor
 * and reads the headers beyond it. The first round takes the newest blocks.
 * @param more further requests for the same endpoint, in the same exchange
 * @throws RpcError; HaltError when no stored header is on the chain
 */
export const scanBlocks = async (
  run: WatchRun,
  cursor: WatchCursor | null,
  more: readonly RpcRequest[] = [],
): Promise<Scan> => {
  const { rpc, network, signal } = run;
  // Below the tip as many blocks as have no confirmations, because a reorganisation of all stored blocks halts a network for good.
  const below = Math.min(network.confirmations, MAX_HEADERS);
  if (cursor === null) return { rewindTo: null, headers: await agreedHeaders(run, below), more: false, responses: [] };
  const settled = await settleContested(run, cursor);
  if (settled !== null) return { ...settled, responses: [] };
  const numbers = range(cursor.number, cursor.number + AHEAD);
  const { endpoint, outcomes } = await rpc.batch([latestRequest, ...numbers.map(byNumber), ...more], {
    signal,
    accept: (responses) => requireConsistent(responses.slice(0, numbers.length + 1), cursor),
  });
  const [tip, own, ...next] = outcomes.slice(0, numbers.length + 1).map(headerIn) as [BlockHeader, BlockHeader | null];
  const responses = outcomes.slice(numbers.length + 1);
  measure('round', { network: network.name, behind: Math.max(0, tip.number - cursor.number) });
  if (own?.hash === cursor.hash) {
    const extended = await extend(run, endpoint, cursor, tip.number, next);
    if (extended.headers.length > 0 || tip.number <= cursor.number) run.memory.disagreedAt = null;
    else if (next.every((header) => header === null)) {
      rpc.demoteBriefly(endpoint, misfit);
      throw new RpcError('inconsistent', misfit);
    }
    if (tip.number <= cursor.number) await demoteStanding(run, endpoint, cursor);
    return { ...extended, responses };
  }
  return { ...(await settleFork(run, cursor, tip)), responses };
};

/** Milliseconds between two questions whether the leading endpoint alone stands still. */
const STANDING_MS = 10_000;

/**
 * Demotes an endpoint that has no block beyond the cursor for long, although as many as the quorum have one. It may tell the truth where
 * tips are compared, in an exchange of one request; so this exchange looks like a scan.
 */
const demoteStanding = async (run: WatchRun, endpoint: number, { number }: WatchCursor): Promise<void> => {
  const { rpc, network, memory, signal } = run;
  const now = steadyClock.now();
  if (now - memory.risen < Math.max(STANDING_MS, 2 * network.blockTimeMs) || now - memory.standingAt < STANDING_MS)
    return;
  memory.standingAt = now;
  const said = await rpc.everyone([latestRequest, byNumber(number + 1)], { fewest: network.quorum, signal });
  const beyond = said.filter((one) => one.endpoint !== endpoint && headerIn(one.outcomes[1]) !== null);
  if (beyond.length >= network.quorum) rpc.demoteBriefly(endpoint, 'stands still at an old block');
};

const misfit = 'its own newest blocks do not fit together';

/**
 * Rejects an endpoint that contradicts itself, or that fails at a header without which nothing goes on, so that the next one is asked.
 * Some chains have no block at some heights, also at the cursor's after a reorganisation.
 */
const requireConsistent = ([tip, own, ...next]: readonly RpcOutcome[], { number, hash }: WatchCursor): void => {
  const newest = headerOf(tip)!.number;
  const stored = headerOf(own);
  const child = next.map(headerIn).find((header) => header !== null);
  const isChild = child?.parentHash === hash;
  const isReplaced = stored === null && child !== undefined && !isChild;
  const isMissing =
    (newest >= number && stored === null && !isReplaced) ||
    (newest > number && newest <= number + AHEAD && child === undefined);
  const isNoChild = stored?.hash === hash && child !== undefined && !isChild;
  if (!isMissing && !isNoChild) return;
  const failed = next.find(({ ok }) => !ok);
  if (failed !== undefined) resultOf(failed);
  throw new RpcError('inconsistent', misfit);
};

/** The newest block with the network's confirmations below a tip: `block + N <= tip + 1`. */
const confirmedBy = (tip: number, confirmations: number): number => tip - confirmations + 1;

/** Milliseconds until the quorum is asked again after it lacked a block. */
const LACKED_MS = 1_000;

/** Most heights in a row without a block. */
const MOST_HOLES = 16;

/** Finds a header of this round or a stored one, above the stored confirmed block: the newest up to a height, which may have none. */
const newHeader = async (
  { store, lease }: WatchRun,
  cursor: WatchCursor | null,
  { headers }: Scan,
  number: number,
): Promise<BlockHeader | null> => {
  const lowest = Math.max((cursor?.confirmedNumber ?? -1) + 1, number - MOST_HOLES);
  if (number < lowest) return null;
  // None where the chain is shorter than the network's confirmations.
  const found = headers.findLast((header) => header.number <= number && header.number >= lowest);
  return found ?? (await store.headers(lease, lowest, number)).at(0) ?? null;
};

/**
 * The header of the block that this round confirms, when it is newer than the stored one. As many endpoints as the quorum must have it
 * under the network's confirmations: one that invents newer blocks confirms nothing.
 * @returns null when there is none
 */
export const newlyConfirmed = async (
  run: WatchRun,
  cursor: WatchCursor | null,
  scan: Scan,
): Promise<BlockHeader | null> => {
  const { network, memory } = run;
  const scanned = scan.headers.at(-1)?.number ?? cursor?.number;
  if (scanned === undefined) return null;
  const candidate = await newHeader(run, cursor, scan, confirmedBy(scanned, network.confirmations));
  if (candidate === null || network.quorum < 2) return candidate;
  const { at, isLate } = memory.confirming;
  if (steadyClock.now() - at < pauseBetween(run, cursor?.isIdle ?? false)) return null;
  const isDeep = await hasConfirmations(run, candidate);
  memory.confirming = { at: steadyClock.now(), isLate: !isDeep };
  if (isDeep) return candidate;
  return isLate ? lowerConfirmed(run, cursor, scan, candidate.number) : null;
};

/** Milliseconds between two questions. An idle network waits for nothing; late endpoints have what they lack a little later. */
const pauseBetween = ({ memory, timing }: WatchRun, isIdle: boolean): number => {
  if (isIdle) return timing.comparedIdle;
  return memory.confirming.isLate ? LACKED_MS : 0;
};

/** The newest block that has its confirmations at the quorum, where late endpoints lack those of the newest block. */
const lowerConfirmed = async (
  run: WatchRun,
  cursor: WatchCursor | null,
  scan: Scan,
  most: number,
): Promise<BlockHeader | null> => {
  const { rpc, network, memory, signal } = run;
  const tips = await rpc.everyone([latestRequest], { fewest: network.quorum, signal });
  const reached = reachedBy(headersAt(tips, 0), network.quorum) ?? -1;
  const lower = await newHeader(run, cursor, scan, Math.min(most, confirmedBy(reached, network.confirmations)));
  if (lower === null || (await hasConfirmations(run, lower))) return lower;
  // The quorum is that high. If it has another block there, an endpoint has invented the stored one: the next round settles it.
  memory.contested = Math.min(memory.contested ?? lower.number, lower.number);
  return null;
};

/** True when as many endpoints as the quorum have this block, and the network's confirmations from it on. */
const hasConfirmations = async ({ rpc, network, signal }: WatchRun, block: BlockHeader): Promise<boolean> => {
  const [hash] = await rpc.agree(
    [byNumber(block.number), latestRequest],
    network.quorum,
    ([own, newest]) => {
      const isDeep = (headerIn(newest)?.number ?? -1) >= block.number + network.confirmations - 1;
      const found = headerIn(own)?.hash;
      return [isDeep && found === block.hash ? found : undefined];
    },
    signal,
  );
  return hash !== undefined;
};

/**
 * The block whose judgement is due: the newest confirmed one. After the quorum lacked a block, it is the newest block that the quorum has
 * reached, at or above the lacked one, because late endpoints lack the newest of all each time.
 */
export const blockToJudge = async (
  run: WatchRun,
  cursor: WatchCursor | null,
  scan: Scan,
  confirmed: BlockHeader | null,
): Promise<BlockHeader | null> => {
  const { rpc, network, store, lease, memory, signal } = run;
  const newest = confirmed?.number ?? cursor?.confirmedNumber;
  if (memory.lacked === null || newest == null) return confirmed ?? confirmedBefore(run, cursor, scan);
  if (steadyClock.now() - memory.judged.at < LACKED_MS) return null;
  const tips = await rpc.everyone([latestRequest], { fewest: network.quorum, signal });
  const number = Math.min(newest, reachedBy(headersAt(tips, 0), network.quorum) ?? -1);
  const [block] = number < memory.lacked ? [] : await store.headers(lease, number, number);
  if (block === undefined) memory.judged = { ...memory.judged, at: steadyClock.now() };
  return block ?? null;
};

/**
 * The block that an earlier round confirmed, when another judgement at it is due. Unreadable words and late receipts must
 * not wait for the next block on a chain that makes blocks only for transactions.
 */
const confirmedBefore = async (
  { store, lease, memory, timing }: WatchRun,
  cursor: WatchCursor | null,
  { rewindTo }: Scan,
): Promise<BlockHeader | null> => {
  if (cursor?.confirmedNumber == null || rewindTo !== null) return null;
  const isDone = cursor.isIdle && memory.isUnreadShown === false && memory.judged.hash !== null;
  if (isDone || steadyClock.now() - memory.judged.at < timing.again) return null;
  return (await store.headers(lease, cursor.confirmedNumber, cursor.confirmedNumber)).at(0) ?? null;
};
