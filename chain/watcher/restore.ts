import type { BlockHeader, WatchCursor } from '../../domain/ports/watcher.ts';
import type { Scan, WatchRun } from './context.ts';
import { agreedDates } from './headers.ts';

/**
 * Finds out when this watcher has confirmed all blocks of the time that a restore has lost. Until then, nobody may conclude that a deal was
 * never sent. A round at the head proves nothing: the endpoint that it asked may be late, and words are read at the confirmed block. It
 * takes a confirmed block from after the restore, as high as a quorum has been since; or one from long after it, as an endpoint may claim a
 * height that never was.
 * @param confirmed the block that this round has confirmed; null for none
 */
export const lookPastRestore = async (
  run: WatchRun,
  cursor: WatchCursor | null,
  scan: Scan,
  confirmed: BlockHeader | null,
): Promise<void> => {
  if (cursor === null || cursor.restoredAt === null) return;
  const { store, lease, memory, network, log } = run;
  const number = confirmed?.number ?? (scan.rewindTo === null ? cursor.confirmedNumber : null);
  if (number === null) return;
  const blocks = confirmed ? [confirmed] : await store.headers(lease, number, number);
  const timestamp = await dateAfter(run, blocks, cursor.restoredAt);
  if (timestamp === null) return;
  if (timestamp < cursor.restoredAt + LONG_AFTER) {
    // Asked again at the head: any height since the restore will do, and an endpoint may have claimed one that never was.
    if (memory.lostUntil === null || !scan.more)
      memory.lostUntil = lowest(memory.lostUntil, await highestOfQuorum(run));
    if (memory.lostUntil === null || number < memory.lostUntil) return;
  }
  await store.passRestore(lease);
  memory.lostUntil = null;
  // The words of open payments are read at once: cancels may wait for them.
  memory.rechecked = { at: -Infinity, after: null };
  log.info('Watcher has confirmed the blocks that a restore had lost', { network: network.name, block: number });
};

/** The quorum's date of a block, if that and the stored one are not before this time. */
const dateAfter = async (run: WatchRun, blocks: readonly BlockHeader[], since: number): Promise<number | null> => {
  const later = blocks.filter(({ timestamp }) => timestamp >= since);
  const [date = 0] = later.length === 0 ? [] : await agreedDates(run, later);
  return date < since ? null : date;
};

/** Seconds after which a block is later than all lost ones, also by clocks that differ. */
const LONG_AFTER = 3_600;

/**
 * The newest block that as many endpoints as the quorum have; null when too few respond. Demoted endpoints are asked, too: they may be the
 * only ones that are not late.
 */
const highestOfQuorum = async ({ rpc, network, signal }: WatchRun): Promise<number | null> => {
  const responses = await rpc.everyone([{ method: 'eth_blockNumber', params: [] }], { fewest: rpc.endpoints, signal });
  const heights = responses
    .flatMap(({ outcomes: [outcome] }) => (outcome?.ok ? [Number(outcome.result)] : []))
    .filter(Number.isSafeInteger);
  return heights.sort((a, b) => b - a)[network.quorum - 1] ?? null;
};

const lowest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
