import type { WaitingDetail } from '../../domain/payment.ts';
import type { Failpoint } from '../../domain/ports/failpoint.ts';
import type { LaneAccount, LaneStore, Slot } from '../../domain/ports/lane.ts';
import type { ChainRun } from '../../domain/ports/chain-run.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import type { PlatformBatcher } from '../pure/platform.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Signer } from '../signing/signer.ts';
import { firstGuess, MAX_TRANSACTION_GAS, type GasMeasure, type Measuring } from './planning/gas.ts';

/** How patient a lane is, in milliseconds unless said otherwise. */
export interface LaneTiming {
  /** Pause between looks while transactions are under way. */
  readonly tick: number;
  /** Pause between looks while there is nothing to do; a notification ends it. */
  readonly idle: number;
  /** Pause after which a transaction that the endpoint does not have is sent again. */
  readonly missing: number;
  /** Pause after which a transaction is sent again although the endpoint says that it has it. */
  readonly rebroadcast: number;
  /** How long the oldest transaction may stand before its fees are raised. */
  readonly bump: number;
  /** For as many blocks, too: a chain that stands still is not impatient. */
  readonly bumpBlocks: number;
  /**
   * How long a nonce may be used, with no receipt that tells by what, before every endpoint is asked; twice as long where one
   * of them shows an attempt of ours that the others do not have.
   */
  readonly foreign: number;
  /** How long the endpoints may be silent before waiting payments say so. */
  readonly unreachable: number;
}

/** What a lane is made of. */
export interface LaneDeps {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
  readonly signer: Signer;
  readonly store: LaneStore;
  readonly timing?: Partial<LaneTiming>;
  /** Usual transactions that the balance should suffice for; below that an operator is told. 0: never. */
  readonly lowFunds: number;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** What a run remembers to save work. Nothing is wrong without it: a new run starts with an empty one. */
export interface LaneMemory {
  /** What was last written about waiting intents, by intent. */
  readonly told: Map<string, WaitingDetail>;
  /** Since when, and at which block, an attempt is the oldest one under way, by slot and sequence. */
  readonly headSince: Map<string, { readonly at: number; readonly block: number }>;
  /** Slots whose last attempt an endpoint refused for its fee or its gas. */
  readonly refused: Map<string, 'fee' | 'gas'>;
  /** Nonces that are used while no receipt tells by what, by slot. */
  readonly used: Map<string, UsedNonce>;
  /** Used nonces of which it can not be known by what, by slot. */
  readonly unknown: Map<string, UnknownOutcome>;
  /** Of which slots that was told last; null while this run does not know. */
  unknownTold: string | null;
  /** When payments were made to say it last, in milliseconds since the epoch. */
  unknownShownAt: number;
  /** Why a slot was not taken when that was logged last, by slot. */
  readonly notTaken: Map<string, string>;
  /** What is left out because its simulation failed, by `parkKey`. */
  readonly parked: Map<string, Parked>;
  /** How much gas batches need here. */
  gas: GasMeasure;
  /** When that was measured. */
  measuring: Measuring;
  /** The most gas that a batch may need, so that an endpoint estimates it. */
  mostGas: bigint;
  /** Diamonds that need more gas than others do. */
  readonly dear: Set<string>;
  /** When it has to be asked again which batcher may act, in milliseconds since the epoch. */
  batcherUntil: number;
  /** Wei that the chain takes for a byte of call data beside the gas; `none` once it is known to take nothing. */
  dataFee: bigint | 'none';
  lastFillAt: number;
  /** Counted up whenever an endpoint says that something can not be sent: the next one may say otherwise. */
  turn: number;
  /** Since when no watcher reads the network; null while one does. */
  blindSince: number | null;
  /** When it has looked at its funds while there was nothing to do, in milliseconds since the epoch. */
  shownAt: number;
  /** An operator was told that the funds are low; null while this run does not know yet. */
  isLow: boolean | null;
  /** When every endpoint was asked last whether that has changed, in milliseconds since the epoch. */
  fundsAskedAt: number;
}

/** A nonce that is used on the chain. */
export interface UsedNonce {
  /** When it was first seen, in milliseconds since the epoch. */
  readonly since: number;
  /** By which block. */
  block: number;
  /** When every endpoint was asked last. */
  askedAt: number;
  /** The lane was paused for it. */
  isTold: boolean;
  /** The attempt of ours that most endpoints have in a block: ours until most of them have another block there. */
  proof: MinedAttempt | null;
}

/** An attempt, and the block that has it. */
export interface MinedAttempt {
  readonly txHash: string;
  readonly number: number;
  readonly hash: string;
}

/** A used nonce whose outcome is not known. */
export interface UnknownOutcome {
  /** In milliseconds since the epoch. */
  readonly since: number;
  readonly nonce: number;
  readonly why: string;
  /** Those that keep the lane from knowing it. */
  readonly endpoints: readonly number[];
}

/** A diamond's deals, one of them, or one call, that failed in a simulation. */
export interface Parked {
  /** Whose deal it is; null for a call. */
  readonly diamond: string | null;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** The intent that is tried alone when the time is over; the others follow once it works. */
  readonly probe: string;
}

/** One run of a lane. */
export interface LaneRun extends Omit<LaneDeps, 'timing'> {
  readonly lease: Lease;
  readonly role: LaneAccount['role'];
  readonly registry: string;
  /** What new slots go to. */
  batcher: PlatformBatcher;
  readonly timing: LaneTiming;
  readonly memory: LaneMemory;
  readonly signal: AbortSignal;
  readonly heartbeat: ChainRun['heartbeat'];
}

/** One look at the chain; all from one endpoint. Amounts in wei. */
export interface ChainView {
  readonly tip: number;
  readonly baseFee: bigint;
  readonly priorityFee: bigint;
  readonly blockGasLimit: bigint;
  /** Next nonce by the newest block. */
  readonly nonce: number;
  /** Next nonce by the pool; null where the endpoint does not tell. */
  readonly pendingNonce: number | null;
  readonly balance: bigint;
}

/** What one tick has read before it acts. */
export interface LaneState {
  readonly account: LaneAccount;
  readonly view: ChainView;
  /** In no block yet, by nonce. */
  readonly slots: readonly Slot[];
}

export const newMemory = (): LaneMemory => ({
  told: new Map(),
  headSince: new Map(),
  refused: new Map(),
  used: new Map(),
  unknown: new Map(),
  unknownTold: null,
  unknownShownAt: 0,
  notTaken: new Map(),
  parked: new Map(),
  gas: firstGuess,
  measuring: { until: 0, isOfMany: false },
  mostGas: MAX_TRANSACTION_GAS,
  dear: new Set(),
  batcherUntil: 0,
  dataFee: 0n,
  lastFillAt: 0,
  turn: 0,
  blindSince: null,
  shownAt: 0,
  isLow: null,
  fundsAskedAt: 0,
});

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Defaults for a block time. */
export const laneTiming = (blockTimeMs: number): LaneTiming => ({
  tick: clamp(blockTimeMs / 2, 50, 1_000),
  idle: clamp(blockTimeMs * 2, 500, 5_000),
  missing: clamp(blockTimeMs, 200, 5_000),
  rebroadcast: clamp(blockTimeMs * 10, 5_000, 60_000),
  bump: clamp(blockTimeMs * 6, 3_000, 90_000),
  bumpBlocks: 3,
  foreign: 20_000,
  unreachable: clamp(blockTimeMs * 10, 3_000, 30_000),
});
