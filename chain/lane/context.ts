import type { Observer } from '../../domain/tools/observer.ts';
import type { Failpoint } from '../../domain/ports/failpoint.ts';
import type { LaneAccount, LaneStore } from '../../domain/ports/lane.ts';
import type { ChainRun } from '../../domain/ports/chain-run.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import type { PlatformBatcher } from '../pure/platform.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Signer } from '../signing/signer.ts';
import type { LaneMemory } from './memory.ts';
import type { Turn } from './turn.ts';

/** Intervals and timeouts of a lane, in milliseconds unless noted. */
export interface LaneTiming {
  /** Interval between ticks while transactions are in flight. */
  readonly tick: number;
  /** Interval between ticks while the lane is idle; a notification ends it. */
  readonly idle: number;
  /** Time after which a transaction that the endpoint does not know is sent again. */
  readonly missing: number;
  /** Time after which a transaction is sent again although the endpoint knows it. */
  readonly rebroadcast: number;
  /** Time after which the fees of the oldest transaction are raised. */
  readonly bump: number;
  /** Blocks that must pass as well before fees are raised, so that a chain that stands still raises none. */
  readonly bumpBlocks: number;
  /**
   * Time after which every endpoint is asked about a used nonce without a receipt; twice as long when one of them shows
   * an attempt of the slot that the others do not have.
   */
  readonly foreign: number;
  /** Time for which endpoints may be silent before waiting payments show it. */
  readonly unreachable: number;
  /** Interval at which an idle lane looks at funds that suffice, so that it reports their loss within a minute. */
  readonly funds: number;
}

export interface LaneDeps {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
  readonly signer: Signer;
  readonly store: LaneStore;
  readonly timing?: Partial<LaneTiming>;
  /** Usual transactions that the balance should cover; below that an alert is raised. 0 disables it. */
  readonly lowFunds: number;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

export interface LaneRun extends Omit<LaneDeps, 'timing'> {
  readonly lease: Lease;
  readonly observed: Observer;
  readonly role: LaneAccount['role'];
  readonly registry: string;
  /** The batcher that new slots call. */
  batcher: PlatformBatcher;
  readonly timing: LaneTiming;
  readonly memory: LaneMemory;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly heartbeat: ChainRun['heartbeat'];
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** The default timing for a block time. */
export const laneTiming = (blockTimeMs: number): LaneTiming => ({
  tick: clamp(blockTimeMs / 2, 50, 1_000),
  idle: clamp(blockTimeMs * 2, 500, 5_000),
  missing: clamp(blockTimeMs, 200, 5_000),
  rebroadcast: clamp(blockTimeMs * 10, 5_000, 60_000),
  bump: clamp(blockTimeMs * 6, 3_000, 90_000),
  bumpBlocks: 3,
  foreign: 20_000,
  unreachable: clamp(blockTimeMs * 10, 3_000, 30_000),
  funds: 30_000,
});
