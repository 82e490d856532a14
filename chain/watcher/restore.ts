import type { WatchCursor } from '../../domain/ports/watcher.ts';
import type { Scan, WatchRun } from './context.ts';

/**
 * Finds out when this watcher has read all blocks of the time that a restore has lost. Until then, nobody may conclude that a deal was never
 * sent. A round at the head proves nothing: the endpoint that it asked may be late. It takes a block from after the restore, as high as
 * a quorum has been since.
 */
export const lookPastRestore = async (run: WatchRun, cursor: WatchCursor | null, scan: Scan): Promise<void> => {
  if (cursor === null || cursor.restoredAt === null) return;
  const { store, lease, memory, network, log } = run;
  const number = scan.headers.at(-1)?.number ?? cursor.number;
  // Asked again at the head: any height since the restore will do, and an endpoint may have claimed one that never was.
  if (memory.lostUntil === null || !scan.more) memory.lostUntil = lowest(memory.lostUntil, await highestOfQuorum(run));
  if (memory.lostUntil === null || number < memory.lostUntil) return;
  const head = scan.headers.at(-1) ?? (await store.headers(lease, number, number)).at(0);
  if (head === undefined || head.timestamp < cursor.restoredAt) return;
  await store.passRestore(lease);
  memory.lostUntil = null;
  // The words of open payments are read at once: cancels may wait for them.
  memory.rechecked = { at: 0, after: null };
  log.info('Watcher has read the blocks that a restore had lost', { network: network.name, block: number });
};

/**
 * The newest block that as many endpoints as the quorum have; null when too few respond. Demoted endpoints are asked, too: they may be the
 * only ones that are not late.
 */
const highestOfQuorum = async ({ rpc, network, signal }: WatchRun): Promise<number | null> => {
  const responses = await rpc.everyone([{ method: 'eth_blockNumber', params: [] }], { fewest: rpc.endpoints, signal });
  const heights = responses.flatMap(({ outcomes: [outcome] }) => (outcome?.ok ? [Number(outcome.result)] : []));
  return heights.sort((a, b) => b - a)[network.quorum - 1] ?? null;
};

const lowest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
