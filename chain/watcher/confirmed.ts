import type { BlockHeader, WatchCursor } from '../../domain/watch.ts';
import { quantity } from '../rpc/calls.ts';
import type { Scan, WatchRun } from './context.ts';

/** The newest block with the network's confirmations after a round: `block + N <= tip + 1`. */
export const confirmedBy = (scanned: number, confirmations: number): number => scanned - confirmations + 1;

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
    (block) => (block as { hash: string } | null)?.hash.toLowerCase() ?? null,
    signal,
  );
  return hash === header.hash ? header : null;
};
