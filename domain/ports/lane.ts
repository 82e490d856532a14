/**
 * The port between a lane and its store. A lane is one signer on one network; an intent is one wanted effect, a slot one nonce
 * for the call of some intents, an attempt its signed bytes. Hex is lower-case, gas prices are in wei.
 */
import type { WaitingDetail } from '../payment.ts';
import type { Alert, ConditionAlert, Looked, Observed, RaisedAlert } from './alert.ts';
import type { Lease } from './lease.ts';

/** The roles of keys that send transactions. */
export type LaneRole = 'operator' | 'upgrader';

/** The roles of keys in the workers' keystores. A signer offers deals and sends nothing. */
export type KeyRole = LaneRole | 'signer';

/** The act that a key performs, for messages. */
export const actOf = (role: KeyRole): string => (role === 'signer' ? 'offer' : 'send');

/** The keys of a network that act for Carat. */
export interface NetworkKeys {
  /** Keys that create and cancel deals. */
  readonly operators: readonly string[];
  readonly upgraders: readonly string[];
  /** Keys that offer deals by signatures. */
  readonly signers?: readonly string[];
}

/**
 * What the endpoints of a network demand of transactions beyond the rules of the chain, as their rejections have shown: the least tip in
 * wei, the most call data in bytes, and the most gas. Undefined while nothing is known. Each is forgotten after some time.
 */
export interface LaneLimits {
  readonly tip?: bigint;
  readonly data?: bigint;
  readonly gas?: bigint;
}

export interface LaneAccount {
  readonly id: string;
  readonly networkId: string;
  readonly address: string;
  readonly role: LaneRole;
  readonly nextNonce: number;
  readonly maxInflight: number;
  readonly status: 'active' | 'paused';
  /** True when the lane gets nothing new, and only finishes its open slots. */
  readonly isDismissed: boolean;
  /** True while the lane has not judged the nonces that its restored database does not know. */
  readonly isRestored: boolean;
  /** True while the network's watcher runs: false before its first block, and while it is halted. */
  readonly isWatched: boolean;
  /** False when no intent is queued and every slot is in a block. */
  readonly hasWork: boolean;
  readonly limits: LaneLimits;
}

/** A lane whose database was restored, before it has judged. */
export interface RestoredLane {
  readonly restoreId: string;
  /** Next nonce as the quorum counted it at the mark. */
  readonly nonce: number;
  /** The first block that may contain a transaction that the database does not know. */
  readonly fromBlock: number;
  /** The newest block that the watcher has read. */
  readonly cursor: number;
  /** The newest confirmed one; null while the watcher has none. */
  readonly confirmed: { readonly number: number; readonly hash: string } | null;
}

/** A transaction of the lane's key that the chain has and the database does not. */
export interface FoundTransaction extends Omit<NewAttempt, 'slotId' | 'seq' | 'call'> {
  readonly nonce: number;
  readonly to: string;
  readonly data: string;
}

/** A deal to create or cancel on an active diamond. */
export interface DealIntent {
  readonly kind: 'deal';
  readonly id: string;
  readonly purpose: 'create_deal' | 'cancel_deal';
  readonly paymentId: string;
  readonly diamond: string;
  readonly dealId: bigint;
  readonly termsHash: string;
  /** True for a create while its diamond is updating. */
  readonly isHeld: boolean;
}

/** A call of a deployment, which is sent unchanged in a separate slot. */
export interface CallIntent {
  readonly kind: 'call';
  readonly id: string;
  readonly purpose: 'deploy_facet' | 'create_diamond' | 'diamond_cut';
  readonly to: string;
  readonly data: string;
}

export type QueuedIntent = DealIntent | CallIntent;

export interface Attempt {
  readonly seq: number;
  readonly txHash: string;
  readonly raw: string;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly sends: number;
  /** By `performance.now()` of the reading process, like the other times of slots. */
  readonly signedAt: number;
  /** Null if it was never sent. */
  readonly lastSentAt: number | null;
  /** Why the endpoints last rejected it; null when they accepted it, or it was never sent. */
  readonly lastError: string | null;
}

export interface Slot {
  readonly id: string;
  readonly nonce: number;
  readonly to: string;
  readonly data: string;
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly state: 'assigned' | 'signed';
  /** Oldest first; empty while `assigned`. */
  readonly attempts: readonly Attempt[];
  /** Time of a nudge; null once a new attempt was made. */
  readonly nudgedAt: number | null;
}

/** A slot before it has a nonce. */
export interface SlotPlan {
  readonly to: string;
  readonly intents: readonly QueuedIntent[];
  /** Gas limit for all intents. Unchanged when some of them are withdrawn meanwhile. */
  readonly gasLimit: bigint;
  /** Encodes the call data of the intents that are still wanted. Pure, because it runs inside the transaction. */
  readonly encode: (intents: readonly QueuedIntent[]) => string;
}

export interface NewAttempt {
  readonly slotId: string;
  /** Replaces the call of the slot. Earlier attempts may still be mined with the former one. */
  readonly call?: { readonly to: string; readonly data: string } | undefined;
  /** Replaces the slot's gas limit. */
  readonly gasLimit: bigint;
  readonly seq: number;
  readonly txHash: string;
  readonly raw: string;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface SendResult {
  readonly slotId: string;
  readonly seq: number;
  /** Null when the endpoint accepted it or knew it already. Never contains secrets. */
  readonly error: string | null;
}

export interface MinedSlot {
  readonly slotId: string;
  /** Null when a foreign transaction used the nonce. */
  readonly txHash: string | null;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly receiptStatus: 0 | 1;
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  /** Waiting reasons why its parts had no effect, by diamond. Such a try uses up no retry. */
  readonly waiting: Readonly<Record<string, WaitingDetail>>;
  /** A waiting reason of all parts. */
  readonly allWait: WaitingDetail | null;
}

/**
 * Intents that a read of the queue omits: waiting deals of these diamonds, except the probes. Held creates that are marked as
 * waiting are always omitted.
 */
export interface Aside {
  readonly diamonds: readonly string[];
  /** Ids of intents. */
  readonly probes: readonly string[];
}

export interface LaneStore {
  /** Takes the lease; older holders are fenced off. */
  acquire(accountId: string): Promise<Lease>;
  account(lease: Lease): Promise<LaneAccount>;
  /**
   * False when every diamond of the account offers its deals: then only a transaction that a merchant requests needs
   * coins.
   */
  needsFunds(lease: Lease): Promise<boolean>;
  /** Reads `LaneAccount.isWatched` alone. */
  isWatched(lease: Lease): Promise<boolean>;
  /** Reads queued intents, cancels first, then oldest first. */
  queued(lease: Lease, limit: number, aside?: Aside): Promise<QueuedIntent[]>;
  /** Picks the diamonds that are active on the lane's network with a release of Carat. */
  released(lease: Lease, diamonds: readonly string[]): Promise<string[]>;
  /** Reads all slots that are in no block yet, by nonce. */
  openSlots(lease: Lease): Promise<Slot[]>;
  /**
   * Assigns each plan the next nonce and freezes its call data, in one transaction. The account's nonce never goes below
   * `chainNonce`. Intents withdrawn meanwhile drop out; a plan without intents takes no nonce.
   */
  assign(lease: Lease, chainNonce: number, plans: readonly SlotPlan[]): Promise<Slot[]>;
  /** Commits signed bytes. They may leave the process only afterwards. */
  saveAttempts(lease: Lease, attempts: readonly NewAttempt[]): Promise<void>;
  /** Keeps what rejections have shown, in place of earlier limits of the same names; `guessed` ones for a shorter time. */
  learn(lease: Lease, limits: LaneLimits, how?: 'shown' | 'guessed'): Promise<void>;
  /** Forgets limits that were refuted. */
  forget(lease: Lease, names: readonly (keyof LaneLimits)[]): Promise<void>;
  /** Some diamonds of the lane's network that Carat has created. */
  created(lease: Lease): Promise<{ readonly nodeId: string; readonly walletId: string; readonly address: string }[]>;
  /** Closes queued deployment calls whose effect a foreign transaction has already brought about. */
  satisfied(lease: Lease, intentIds: readonly string[]): Promise<void>;
  recordSends(lease: Lease, results: readonly SendResult[]): Promise<void>;
  /** Writes receipts to their slots, and the waiting reasons of intents without effect. */
  recordMined(lease: Lease, mined: readonly MinedSlot[]): Promise<void>;
  /**
   * Records that a foreign transaction used the nonce of a slot by this block. The slot counts as mined in the watcher's newest
   * block; once that is confirmed, the watcher closes it and judges the words of its deals. A no-op while the watcher has not reached the block.
   */
  closeForeign(lease: Lease, slotId: string, block: number): Promise<void>;
  /** Writes the waiting reason of intents (null: none), and shows it as `status_detail` of their payments. */
  recordWaiting(lease: Lease, intentIds: readonly string[], detail: WaitingDetail | null): Promise<void>;
  /**
   * Shows a reason on the payments and steps of these slots, and removes it from those of all other slots. One that shows another
   * reason keeps it.
   */
  showOnSlots(lease: Lease, reason: WaitingDetail, slotIds: readonly string[]): Promise<void>;
  /** The part that a restored lane must judge; null when there is none. */
  restored(lease: Lease): Promise<RestoredLane | null>;
  /** Of the deals in calls, those without a payment of these terms, and cancels of payments that nobody here asked to cancel. */
  foreignDeals<Deal extends { diamond: string; dealId: bigint; termsHash: string | null }>(
    lease: Lease,
    deals: readonly Deal[],
  ): Promise<{ readonly unknown: readonly Deal[]; readonly unasked: readonly Deal[] }>;
  /** Nothing is unknown: the restored lane goes on. */
  endRestored(lease: Lease): Promise<void>;
  /**
   * Stores transactions as attempts of their slots, makes slots for nonces that the database never gave, raises the next nonce to
   * `nonce`, and writes the alert, in one transaction. The restored lane goes on, once.
   */
  takeOver(
    lease: Lease,
    taken: { readonly nonce: number; readonly found: readonly FoundTransaction[] },
    alert: Alert,
  ): Promise<RaisedAlert[]>;
  /** Pauses the lane and writes the alert, in one transaction. Returns as `alert` does. */
  pause(lease: Lease, detail: string, alert: Alert): Promise<RaisedAlert[]>;
  /** Writes an alert. Returns an empty list when it was written before. */
  alert(lease: Lease, alert: Alert): Promise<RaisedAlert[]>;
  /** Raises the conditions that hold, and ends the other looked at ones. */
  observe(lease: Lease, looked: Looked, holding: readonly ConditionAlert[]): Promise<Observed>;
}
