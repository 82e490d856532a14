/**
 * What a lane and its store say to each other. A lane is one signer on one network; an intent is one wanted effect, a
 * slot one nonce with frozen call data, an attempt its signed bytes. Hex is lower-case, amounts of gas price in wei.
 */
import type { WaitingDetail } from '../payment.ts';
import type { Alert, RaisedAlert } from './alert.ts';
import type { Lease } from './lease.ts';

export interface LaneAccount {
  readonly id: string;
  readonly networkId: string;
  readonly address: string;
  readonly role: 'operator' | 'upgrader';
  readonly nextNonce: number;
  readonly maxInflight: number;
  readonly status: 'active' | 'paused';
  /** It gets nothing new, and brings to an end what is under way. */
  readonly isDismissed: boolean;
}

/** A deal to create or cancel, whose diamond is active. */
export interface DealIntent {
  readonly kind: 'deal';
  readonly id: string;
  readonly purpose: 'create_deal' | 'cancel_deal';
  readonly paymentId: string;
  readonly diamond: string;
  readonly dealId: bigint;
  readonly termsHash: string;
  /** A create, and its diamond is being cut. */
  readonly isHeld: boolean;
}

/** A call of a deployment, sent as it is in a slot of its own. */
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
  /** When the probe is simulated, in milliseconds since the epoch. */
  readonly signedAt: number;
  /** The same; null if it never left. */
  readonly lastSentAt: number | null;
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
  /** Since when somebody wants it sent anew, in milliseconds since the epoch; null once it was. */
  readonly nudgedAt: number | null;
}

/** A slot before it has a nonce. */
export interface SlotPlan {
  readonly to: string;
  readonly intents: readonly QueuedIntent[];
  /** Gas limit for all intents; kept when some of them were withdrawn meanwhile. */
  readonly gasLimit: bigint;
  /** Encodes the call data of those intents that are still wanted. Pure: it runs inside the transaction. */
  readonly encode: (intents: readonly QueuedIntent[]) => string;
}

export interface NewAttempt {
  readonly slotId: string;
  /** Becomes the slot's. */
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
  /** Null when the endpoint took it or already knew it. Never holds secrets. */
  readonly error: string | null;
}

export interface MinedSlot {
  readonly slotId: string;
  /** Null when somebody else has used the nonce. */
  readonly txHash: string | null;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly receiptStatus: 0 | 1;
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  /** Waiting states that kept its parts from having an effect, by diamond; such a try uses up no retry. */
  readonly waiting: Readonly<Record<string, WaitingDetail>>;
  /** The same, of all parts. */
  readonly allWait: WaitingDetail | null;
}

/**
 * What a look at the queue leaves out: deals of these diamonds that say already that they wait, except for the probes.
 * Creates that are held and say so are left out always.
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
  /** True while the network is watched: not before its watcher's first block, and not while that is halted. */
  isWatched(lease: Lease): Promise<boolean>;
  /** Queued intents, cancels first, then oldest first. */
  queued(lease: Lease, limit: number, aside?: Aside): Promise<QueuedIntent[]>;
  /** Those of these diamonds of the lane's network that are made of a release of ours, as it was when they were brought there. */
  released(lease: Lease, diamonds: readonly string[]): Promise<string[]>;
  /** All slots in no block yet, by nonce. */
  openSlots(lease: Lease): Promise<Slot[]>;
  /**
   * Gives each plan the next nonce and freezes its call data, in one transaction. The account's nonce never goes below
   * `chainNonce`. Intents withdrawn meanwhile drop out; a plan left without intents takes no nonce.
   */
  assign(lease: Lease, chainNonce: number, plans: readonly SlotPlan[]): Promise<Slot[]>;
  /** Commits signed bytes; only afterwards may they leave the process. */
  saveAttempts(lease: Lease, attempts: readonly NewAttempt[]): Promise<void>;
  /** Closes queued calls of deployments whose effect is on the chain already, by a foreign transaction. */
  satisfied(lease: Lease, intentIds: readonly string[]): Promise<void>;
  recordSends(lease: Lease, results: readonly SendResult[]): Promise<void>;
  /** Writes receipts onto their slots, and why their intents had no effect, as far as it was a waiting state. */
  recordMined(lease: Lease, mined: readonly MinedSlot[]): Promise<void>;
  /**
   * Closes a slot whose nonce somebody else has used by this block: at the watcher's newest block, whose confirmation lets the
   * words of its deals be judged. Nothing while the watcher is not so far.
   */
  closeForeign(lease: Lease, slotId: string, block: number): Promise<void>;
  /** Writes why intents wait (null: no longer) and shows it as `status_detail` of the payments that wait for them. */
  recordWaiting(lease: Lease, intentIds: readonly string[], detail: WaitingDetail | null): Promise<void>;
  /** Shows that the outcome of these slots is not known, on the payments and steps that wait for them, and ends that on all others. */
  showUnknown(lease: Lease, slotIds: readonly string[]): Promise<void>;
  /** Sends nothing new any more, and writes the alert in the same transaction; the answer is as that of `alert`. */
  pause(lease: Lease, detail: string, alert: Alert): Promise<RaisedAlert[]>;
  /** Writes an alert; the answer is empty when it was written before. */
  alert(lease: Lease, alert: Alert): Promise<RaisedAlert[]>;
  /** Closes the alert of a condition that is over; the answer is empty when none is open. */
  alertOver(lease: Lease, key: string): Promise<RaisedAlert[]>;
}
