import type { WaitingDetail } from '../../domain/payment.ts';
import type { Failpoint } from '../../domain/ports/failpoint.ts';
import type { FoundTransaction, LaneAccount, LaneStore, Slot } from '../../domain/ports/lane.ts';
import type { ChainRun } from '../../domain/ports/chain-run.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import type { PlatformBatcher } from '../pure/platform.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { SendClass } from '../rpc/send-errors.ts';
import { USUAL_TIP } from '../signing/fees.ts';
import type { Signer } from '../signing/signer.ts';
import { firstGuess, MAX_TRANSACTION_GAS, type GasMeasure, type Measuring } from './planning/gas.ts';

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

/** State that a run keeps to save work. Correctness does not depend on it: a new run starts empty. Times are by `steadyClock`. */
export interface LaneMemory {
  /** The waiting reason last recorded, by intent. */
  readonly told: Map<string, WaitingDetail>;
  /** Since when, and since which block, an attempt is the oldest one in flight, by slot and sequence. */
  readonly headSince: Map<string, { readonly at: number; block: number }>;
  /** Since when, and since which block, the pool lacks the oldest transaction; null while it does not. */
  missing: { readonly slotId: string; readonly at: number; readonly block: number } | null;
  /** Slots whose last attempt an endpoint rejected for its fee or its gas. */
  readonly refused: Map<string, 'fee' | 'gas'>;
  /** Used nonces without a receipt, by slot. */
  readonly used: Map<string, UsedNonce>;
  /** Used nonces whose transaction cannot be determined, by slot. */
  readonly unknown: Map<string, UnknownOutcome>;
  /** The slots of the last alert about them; null while this run does not know. */
  unknownTold: string | null;
  /** When that was last shown on payments. */
  unknownShownAt: number;
  /** Why the transactions of slots wait, and when that last held. */
  stuck: Map<string, { readonly reason: WaitingDetail; readonly at: number }>;
  /** The slots and reasons that were last shown; null while this run has shown none. */
  stuckTold: string | null;
  /** When that was. */
  stuckToldAt: number;
  /** The search for the transactions that a restored database does not know; null while there is none. */
  restored: RestoredSearch | null;
  /** The last logged rejection by slot, and since when its transaction is rejected. */
  readonly notTaken: Map<string, { readonly as: SendClass; readonly since: number }>;
  /** Intents that are left out because their simulation failed, by `parkKey`. */
  readonly parked: Map<string, Parked>;
  /** The gas that batches need on this network. */
  gas: GasMeasure;
  /** Until when its margin stays raised. */
  marginUntil: number;
  /** When it was measured. */
  measuring: Measuring;
  /** The highest gas of a batch that endpoints still estimate. */
  mostGas: bigint;
  /** Diamonds that need more gas than others. */
  readonly dear: Set<string>;
  /** When the batcher must be chosen again. */
  batcherUntil: number;
  /** Wei that the chain charges for a byte of call data in addition to the gas; `none` when it charges nothing. */
  dataFee: bigint | 'none';
  /** The tip while an endpoint suggests none, and until when it counts. */
  tip: { readonly fee: bigint; readonly until: number };
  lastFillAt: number;
  /**
   * Incremented whenever an endpoint may be wrong, so that another one is asked next. However many steps of a tick do so,
   * the next tick begins one turn further.
   */
  turn: number;
  /** Since when no watcher reads the network; null while one does. */
  blindSince: number | null;
  /** When the idle lane last checked its funds. */
  shownAt: number;
  /** Whether the alert about low funds is open; null while this run does not know. */
  isLow: boolean | null;
  /** When every endpoint was last asked whether that has changed. */
  fundsAskedAt: number;
  /** True when the account cannot pay for the last plan, as most endpoints estimate it. */
  isShort: boolean;
}

/** The progress of the search for the transactions of unknown nonces. */
export interface RestoredSearch {
  /** The next block, and the highest so far. */
  next: number;
  furthest: number;
  /** Blocks in one exchange: fewer after a failure. */
  blocks: number;
  /** How often all blocks were read. */
  passes: number;
  readonly found: Map<number, FoundTransaction>;
  /** When something that should be there was first and last missing; null while nothing was. */
  trouble: { readonly first: number; readonly last: number } | null;
}

/** A nonce that is used on the chain. */
export interface UsedNonce {
  /** When it was first seen. */
  readonly since: number;
  /** The block by which it was used. */
  block: number;
  /** When every endpoint was last asked. */
  askedAt: number;
  /** True when the lane was paused for it. */
  isTold: boolean;
  /** The slot's attempt that most endpoints have in a block. It counts until most of them have another block there. */
  proof: MinedAttempt | null;
}

/** An attempt, and the block that contains it. */
export interface MinedAttempt {
  readonly txHash: string;
  readonly number: number;
  readonly hash: string;
}

/** A used nonce with an unknown outcome. */
export interface UnknownOutcome {
  /** When it was first seen. */
  readonly since: number;
  readonly nonce: number;
  readonly why: string;
  /** The endpoints that keep the outcome unknown. */
  readonly endpoints: readonly number[];
}

/** Intents whose simulation failed: a diamond's deals, one of them, or one call. */
export interface Parked {
  /** The diamond of the deals; null for a call. */
  readonly diamond: string | null;
  /** When the probe is simulated. */
  readonly until: number;
  /** The intent that is simulated first; the others follow once it works. */
  readonly probe: string;
}

export interface LaneRun extends Omit<LaneDeps, 'timing'> {
  readonly lease: Lease;
  readonly role: LaneAccount['role'];
  readonly registry: string;
  /** The batcher that new slots call. */
  batcher: PlatformBatcher;
  readonly timing: LaneTiming;
  readonly memory: LaneMemory;
  readonly signal: AbortSignal;
  readonly heartbeat: ChainRun['heartbeat'];
}

/** The state of the chain at one tick, from one endpoint. Amounts in wei. */
export interface ChainView {
  readonly tip: number;
  readonly baseFee: bigint;
  readonly priorityFee: bigint;
  readonly blockGasLimit: bigint;
  /** Next nonce by the newest block. */
  readonly nonce: number;
  /** Next nonce by the pool; null when the endpoint does not report it. */
  readonly pendingNonce: number | null;
  readonly balance: bigint;
}

/** The state that a tick reads before it acts. */
export interface LaneState {
  readonly account: LaneAccount;
  readonly view: ChainView;
  /** Slots that are in no block yet, by nonce. */
  readonly slots: readonly Slot[];
}

export const newMemory = (): LaneMemory => ({
  told: new Map(),
  headSince: new Map(),
  missing: null,
  refused: new Map(),
  used: new Map(),
  unknown: new Map(),
  unknownTold: null,
  unknownShownAt: -Infinity,
  stuck: new Map(),
  stuckTold: null,
  stuckToldAt: -Infinity,
  restored: null,
  notTaken: new Map(),
  parked: new Map(),
  gas: firstGuess,
  marginUntil: -Infinity,
  measuring: { until: 0, isOfMany: false },
  mostGas: MAX_TRANSACTION_GAS,
  dear: new Set(),
  batcherUntil: 0,
  dataFee: 0n,
  tip: { fee: USUAL_TIP, until: 0 },
  lastFillAt: -Infinity,
  turn: 0,
  blindSince: null,
  shownAt: -Infinity,
  isLow: null,
  fundsAskedAt: -Infinity,
  isShort: false,
});

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
