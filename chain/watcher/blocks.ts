import type { BlockHeader, WatchCursor } from '../../domain/ports/watcher.ts';
import { byNumber, latestRequest } from '../rpc/calls.ts';
import type { RpcRequest } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import type { Scan, WatchRun } from './context.ts';
import { settleContested, settleFork } from './fork.ts';
import { agreedHeaders, AHEAD, extend, headerOf, headersAt, MAX_HEADERS, range, reachedBy } from './headers.ts';
import { measure } from '../../measures.ts';

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
    accept: (responses) => requireConsistent(responses.slice(0, numbers.length + 1).map(headerOf), cursor),
  });
  const [tip, own, ...next] = outcomes.slice(0, numbers.length + 1).map(headerOf) as [BlockHeader, BlockHeader | null];
  const responses = outcomes.slice(numbers.length + 1);
  measure('round', { network: network.name, behind: Math.max(0, tip.number - cursor.number) });
  if (own?.hash === cursor.hash) {
    const extended = await extend(run, endpoint, cursor, tip.number, next);
    if (extended.headers.length > 0 || tip.number <= cursor.number) run.memory.disagreedAt = null;
    return { ...extended, responses };
  }
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

/** The newest block with the network's confirmations below a tip: `block + N <= tip + 1`. */
const confirmedBy = (tip: number, confirmations: number): number => tip - confirmations + 1;

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

/** Milliseconds until the quorum is asked again after it lacked a block. */
const LACKED_MS = 1_000;

/**
 * The block whose judgement is due: the newest confirmed one. After the quorum lacked a block or its confirmations, it is the newest block
 * with the confirmations that the quorum has reached, at or above the lacked one, because late endpoints lack the newest of all each time.
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
  if (performance.now() - memory.judged.at < LACKED_MS) return null;
  const tips = await rpc.everyone([latestRequest], { fewest: network.quorum, signal });
  const reached = reachedBy(headersAt(tips, 0), network.quorum) ?? -1;
  const number = Math.min(newest, confirmedBy(reached, network.confirmations));
  const [block] = number < memory.lacked ? [] : await store.headers(lease, number, number);
  if (block === undefined) memory.judged = { ...memory.judged, at: performance.now() };
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
  const isDone = cursor.isIdle && memory.isReadable && memory.judged.hash !== null;
  if (isDone || performance.now() - memory.judged.at < timing.again) return null;
  return (await store.headers(lease, cursor.confirmedNumber, cursor.confirmedNumber)).at(0) ?? null;
};
