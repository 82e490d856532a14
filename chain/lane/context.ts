import type { LaneAccount, LaneStore, Slot, Watched } from '../../domain/lane.ts';
import type { Failpoint } from '../../domain/failpoint.ts';
import type { Lease } from '../../domain/lease.ts';
import type { Log } from '../../domain/log.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { WatchedNetwork } from '../../domain/watch.ts';
import type { Platform } from '../pure/addresses.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Signer } from '../signing/signer.ts';
import type { LaneTiming } from './timing.ts';

/** What a lane is made of. */
export interface LaneDeps {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
  readonly signer: Signer;
  readonly store: LaneStore;
  readonly platform: Platform;
  readonly timing?: Partial<LaneTiming>;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** What a run remembers to save work. Nothing is wrong without it: a new run starts with an empty one. */
export interface LaneMemory {
  genesisChecked: boolean;
  /** What was last written about waiting intents, by intent. */
  readonly told: Map<string, WaitingDetail>;
  /** Since when, and at which block, an attempt is the oldest one under way, by slot and sequence. */
  readonly headSince: Map<string, { readonly at: number; readonly block: number }>;
  /** Slots whose last attempt a node refused for its fee. */
  readonly refused: Set<string>;
  /** Tip at which a slot's nonce was first seen used by none of its attempts, by slot. */
  readonly usedSince: Map<string, number>;
  /** Diamonds whose deals failed in simulation, and until when they are left out. */
  readonly parked: Map<string, number>;
  lastFillAt: number;
  /** Since when nobody watches the network; null while somebody does. */
  blindSince: number | null;
}

/** One run of a lane. */
export interface LaneRun extends Omit<LaneDeps, 'timing'> {
  readonly lease: Lease;
  readonly registry: string;
  readonly batcher: string;
  readonly timing: LaneTiming;
  readonly memory: LaneMemory;
  readonly signal: AbortSignal;
}

/** One look at the chain; all from one endpoint. Amounts in wei. */
export interface ChainView {
  readonly tip: number;
  readonly baseFee: bigint;
  readonly priorityFee: bigint;
  readonly blockGasLimit: bigint;
  /** Next nonce by the newest block. */
  readonly nonce: number;
  /** Next nonce by the pool. */
  readonly pendingNonce: number;
  readonly balance: bigint;
}

/** What one tick has read before it acts. */
export interface LaneState {
  readonly account: LaneAccount;
  readonly watched: Watched;
  readonly view: ChainView;
  /** Not confirmed yet, by nonce. */
  readonly slots: readonly Slot[];
}

export const newMemory = (): LaneMemory => ({
  genesisChecked: false,
  told: new Map(),
  headSince: new Map(),
  refused: new Set(),
  usedSince: new Map(),
  parked: new Map(),
  lastFillAt: 0,
  blindSince: null,
});
