/**
 * What a run of a lane remembers. It is lost when the run ends: it decides when and how the lane acts, and no fact depends
 * on it. A new run starts empty, and recovers each group. Times are by `steadyClock`.
 *
 * | group | decides | recovered from |
 * | --- | --- | --- |
 * | `transactions` | the state of each transaction (`state.ts`); when a used nonce pauses the lane | the chain: endpoints respond alike again, and times count anew |
 * | `shown` | whether the same reason is written or logged again | the database: a repeated write changes nothing |
 * | `queue` | which intents are left out, and which of them is the probe; how long small slots wait for company; when the batcher is chosen again | the chain: the simulation fails again; codes and roles |
 * | `limits` | the size of slots, and the least tip | the database |
 * | `gas`, `fees` | gas limits, needed funds and fees | the chain: estimates, measures and tips |
 * | `funds` | when low funds are reported | the chain; open alerts are in the database |
 * | `unwatchedSince` | when waiting payments show that no watcher reads the network | the database: the watcher is still halted |
 * | `restored` | how far the blocks were searched for lost transactions | the chain: they are searched again |
 */
import type { WaitingDetail } from '../../domain/payment.ts';
import type { FoundTransaction, LaneLimits } from '../../domain/ports/lane.ts';
import type { SendClass } from '../rpc/send-errors.ts';
import type { NamedFees } from '../rpc/words/amounts.ts';
import type { OperatorFee } from '../signing/data-fee.ts';
import { USUAL_TIP } from '../signing/fees.ts';
import { firstGuess, MAX_TRANSACTION_GAS, type GasMeasure, type Measuring } from './planning/gas.ts';

export interface LaneMemory {
  /** What endpoints have said of the transactions of slots. */
  readonly transactions: {
    /** The last rejection of a slot's transaction, by slot. */
    readonly rejected: Map<string, Rejection>;
    /** When an endpoint last had a slot's transaction in a pool that its count of the pool does not show, by slot. */
    readonly shown: Map<string, number>;
    /** Since when an attempt is the oldest one in flight; null before the first. */
    oldest: Since | null;
    /** Since when the endpoints accept the oldest transaction and no pool shows it; null while that is not so. */
    unseen: Since | null;
    /** Since when the endpoints accept the oldest transaction with fees that suffice; null while that is not so. */
    unmined: Since | null;
    /** The slots whose transactions an alert reports as rejected, or as taken by no block. */
    readonly refused: Set<string>;
    /** Used nonces without a receipt, by slot. */
    readonly used: Map<string, UsedNonce>;
    /** Why the transactions of slots wait, and when that last held. */
    stuck: Map<string, { readonly reason: WaitingDetail; readonly at: number }>;
  };
  /** What was last written on payments. */
  readonly shown: {
    /** The waiting reason of queued intents, by intent. */
    readonly waiting: Map<string, WaitingDetail>;
    readonly unknown: Shown;
    readonly stuck: Shown;
  };
  readonly queue: {
    /** Intents that are left out because their simulation failed, by `parkKey`. */
    readonly parked: Map<string, Parked>;
    lastFillAt: number;
    /** When the batcher must be chosen again. */
    batcherUntil: number;
  };
  /** The gas that batches need on this network. */
  readonly gas: {
    measure: GasMeasure;
    /** Until when its margin stays raised. */
    marginUntil: number;
    /** When it was measured. */
    measuring: Measuring;
    /** The smallest block that endpoints have shown, until when it counts, and when blocks were last measured; null before the first. */
    smallest: { readonly gas: bigint; readonly until: number; readonly at: number } | null;
    /** The highest gas of a batch that endpoints still estimate. */
    most: bigint;
    /** Diamonds that need more gas than others. */
    readonly dear: Set<string>;
  };
  /** What the endpoints demand of transactions, as the account keeps it. */
  limits: LaneLimits;
  readonly fees: {
    /** Wei that the chain charges for a byte of call data in addition to the gas; `none` when it charges nothing. */
    dataFee: bigint | 'none';
    /** The tip while an endpoint suggests none, and until when it counts. */
    tip: { readonly fee: bigint; readonly until: number };
    /** The fee of the chain's operator, and when it is read again. */
    operator: OperatorFee & { readonly until: number };
  };
  readonly funds: {
    /** When the idle lane last checked them. */
    lookedAt: number;
    /** Whether the alert about low funds is open; null while this run does not know. */
    isLow: boolean | null;
    /** When every endpoint was last asked whether that has changed. */
    askedAt: number;
    /** True when the account cannot pay for the last plan, as most endpoints estimate it. */
    isShort: boolean;
  };
  /** Since when no watcher reads the network; null while one does. */
  unwatchedSince: number | null;
  /** The search for the transactions that a restored database does not know; null while there is none. */
  restored: RestoredSearch | null;
}

/** The endpoints' rejection of a transaction. */
export interface Rejection {
  readonly as: SendClass;
  /** Since when the transaction is rejected, for whatever reason. */
  readonly since: number;
  /**
   * The resource of which it has too little, or too much; null when none, and once the lane has tried a new attempt. `size`: a smaller
   * transaction may be accepted.
   */
  lacks: 'fee' | 'gas' | 'size' | null;
  /** The last rejected attempt, and how many in a row were rejected for the same reason. */
  readonly seq: number;
  readonly tries: number;
  readonly words: string;
  /** The fees that the endpoints name. */
  readonly fees: NamedFees;
  /** The gas that they name as needed, and the most gas or bytes that they name as allowed; null for none. */
  readonly gas: bigint | null;
  readonly limit: bigint | null;
}

/** Since when, and since which block, something holds of a slot or an attempt. */
export interface Since {
  readonly id: string;
  readonly at: number;
  readonly block: number;
}

/** The slots that show a reason, as a text; null while this run has shown none. */
interface Shown {
  what: string | null;
  at: number;
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
  readonly nonce: number;
  /** When it was first seen. */
  readonly since: number;
  /** The block by which it was used. */
  block: number;
  /** When every endpoint was last asked. */
  askedAt: number;
  /** True when the lane was paused for it. */
  hasPaused: boolean;
  /** The slot's attempt that most endpoints have in a block. It counts until most of them have another block there. */
  proof: MinedAttempt | null;
  /** Null while nobody was asked, and once the outcome is known. */
  unknown: UnknownOutcome | null;
}

/** An attempt, and the block that contains it. */
export interface MinedAttempt {
  readonly txHash: string;
  readonly number: number;
  readonly hash: string;
}

/** Why the transaction that used a nonce cannot be determined. */
export interface UnknownOutcome {
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

export const newLaneMemory = (): LaneMemory => ({
  transactions: {
    rejected: new Map(),
    shown: new Map(),
    oldest: null,
    unseen: null,
    unmined: null,
    refused: new Set(),
    used: new Map(),
    stuck: new Map(),
  },
  shown: {
    waiting: new Map(),
    unknown: { what: null, at: -Infinity },
    stuck: { what: null, at: -Infinity },
  },
  queue: { parked: new Map(), lastFillAt: -Infinity, batcherUntil: 0 },
  gas: {
    measure: firstGuess,
    marginUntil: -Infinity,
    measuring: { until: 0, isOfMany: false },
    smallest: null,
    most: MAX_TRANSACTION_GAS,
    dear: new Set(),
  },
  limits: {},
  fees: { operator: { flat: 0n, perGas: 0n, until: 0 }, dataFee: 0n, tip: { fee: USUAL_TIP, until: 0 } },
  funds: { lookedAt: -Infinity, isLow: null, askedAt: -Infinity, isShort: false },
  unwatchedSince: null,
  restored: null,
});
