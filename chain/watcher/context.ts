import type { Failpoint } from '../../domain/ports/failpoint.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { BlockHeader, WatchedNetwork, WatchStore } from '../../domain/ports/watcher.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** How patient a watcher is, in milliseconds. */
interface WatchTiming {
  /** Pause between looks at the tip. */
  readonly tick: number;
  /** Pause between looks at a network that is halted. */
  readonly halted: number;
}

/** Defaults for a block time. */
export const watchTiming = (blockTimeMs: number): WatchTiming => ({
  tick: Math.min(Math.max(blockTimeMs / 4, 25), 1_000),
  halted: 5_000,
});

/** What a watcher is made of. */
export interface WatcherDeps {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
  readonly store: WatchStore;
  readonly timing?: Partial<WatchTiming>;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** One run of a watcher. */
export interface WatchRun extends Omit<WatcherDeps, 'timing'> {
  readonly lease: Lease;
  readonly registry: string;
  readonly batcher: string;
  readonly timing: WatchTiming;
  readonly signal: AbortSignal;
}

/** What of the chain lies beyond the cursor; all from one endpoint. */
export interface Scan {
  readonly endpoint: number;
  /** Common ancestor, when blocks were reorganised away. */
  readonly rewindTo: number | null;
  /** Ascending, each the child of the one before. */
  readonly headers: readonly BlockHeader[];
  /** More blocks are there than one round takes. */
  readonly more: boolean;
}

/** The chain can not be followed any more until an operator has acted. */
export class HaltError extends Error {
  override readonly name = 'HaltError';
}
