/** The port between a watcher and its store. Block numbers are plain numbers, timestamps Unix seconds. */
import type { DealEvent, DealVerdict } from '../deal.ts';
import type { Platform } from '../platform.ts';
import type { Alert, ConditionAlert, Looked, Observed, RaisedAlert } from './alert.ts';
import type { Lease } from './lease.ts';

export interface BlockHeader {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number;
}

export interface WatchedNetwork {
  readonly id: string;
  readonly name: string;
  readonly eip155: number;
  readonly rpcUrls: readonly string[];
  readonly quorum: number;
  readonly confirmations: number;
  /** Headers kept below the tip, in blocks. */
  readonly finality: number;
  readonly blockTimeMs: number;
  /** Ceiling in wei. */
  readonly maxFeePerGas: bigint;
  readonly genesisHash: string | null;
  /** The platform of its chain. */
  readonly platform: Platform;
  /** Address that must be root of the registry. */
  readonly root: string;
  /** Address of the separate key that pauses and revokes. */
  readonly guardian: string;
  /** True when the network is retired and its endpoints are no longer asked. */
  readonly isAtRest: boolean;
}

export interface WatchCursor {
  readonly number: number;
  readonly hash: string;
  readonly confirmedNumber: number | null;
  /** True while no payment waits for this network, and no transaction of Carat is in flight on it. */
  readonly isIdle: boolean;
  /** True while the network is marked as halted. */
  readonly isHalted: boolean;
  /** The time of the newest restore, while the blocks of the time that it has lost are not all read; else null. */
  readonly restoredAt: number | null;
}

/** One round of a watcher: its findings beyond the cursor, written in one transaction. */
export interface WatchRound {
  /** The common ancestor when blocks were reorganised away, else null. Everything above it is deleted first. */
  readonly rewindTo: number | null;
  /** Ascending. The parent of the first one is the cursor (or the ancestor). */
  readonly headers: readonly BlockHeader[];
  /** Events in these headers or older ones. Where endpoints report several for one deal, the first one counts. */
  readonly events: readonly DealEvent[];
  /** Alerts about events in these headers that Carat did not request. */
  readonly alerts: readonly Alert[];
  /** Newest block with the network's confirmations on which the quorum agrees; null keeps the stored one. */
  readonly confirmedNumber: number | null;
}

/** A payment to judge at a confirmed block, and the place of its deal's word. */
export interface Candidate {
  readonly paymentId: string;
  readonly diamond: string;
  readonly dealId: bigint;
  readonly termsHash: string;
  /** False when the wallet's diamond was never active in this database, so that no deal can exist. */
  readonly isActive: boolean;
  /** True when a restore may have lost that the diamond was deployed, so that a deal may exist all the same. */
  readonly mayLackDiamond: boolean;
  /** True when a signer offers the deal: it is paid without a creation. */
  readonly isOffered: boolean;
  /** The kinds of events that logs up to the judged block report for the deal. */
  readonly told: Readonly<Record<DealEvent['kind'], boolean>>;
  /** True when too few endpoints report one of these events to know its transaction. */
  readonly isUnproved: boolean;
  /** The block of the buyer's payment, where a log up to the judged block reports it. */
  readonly paidBlock: BlockPlace | null;
}

/** The number and hash of a block. */
export type BlockPlace = Pick<BlockHeader, 'number' | 'hash'>;

export interface CandidatePage {
  /** Id of the last one of the previous page. */
  readonly after: string | null;
  readonly limit: number;
  /** True to include open payments without any sign of a change. */
  readonly all?: boolean;
  /** Ids of further open payments to include. */
  readonly again?: readonly string[];
}

/** A candidate with its verdict. */
export interface Judged {
  readonly candidate: Candidate;
  readonly verdict: DealVerdict;
}

/** The verdicts of some payments at a confirmed block, written in one transaction. */
export interface Judgement {
  readonly judged: BlockHeader;
  readonly decided: readonly Judged[];
  /** Logs of misfits among these deals, from a search. */
  readonly sought: readonly DealEvent[];
  /** The dates, by the quorum, of the blocks in which these deals were paid. Empty where a quorum of one dated them before. */
  readonly dates: readonly Pick<BlockHeader, 'hash' | 'timestamp'>[];
}

/** The catalogue's settings for a network's registry. Addresses are lower-case. */
export interface WantedControl {
  /** Accounts that must have a role, without the batcher. */
  readonly roles: readonly { readonly role: string; readonly account: string }[];
  /** Account that must be root. */
  readonly root: string;
}

/** The diamond and transaction of a cut. */
export interface CutPlace {
  readonly diamond: string;
  readonly transactionHash: string;
}

/** A token of the catalogue, and a diamond of Carat. Addresses are lower-case. */
export interface TokenPlace {
  readonly token: string;
  readonly diamond: string;
}

/** Ids of payments whose words cannot be read: because too few endpoints agree, or because endpoints refuse. */
export interface UnreadPayments {
  readonly unreadable: readonly string[];
  readonly refused: readonly string[];
}

/** A diamond's balance of a token, in base units. */
export interface StrayTokens extends TokenPlace {
  readonly units: bigint;
}

export interface WatchStore {
  /** Takes the lease; older holders are fenced off. */
  acquire(networkId: string): Promise<Lease>;
  /** Null before the first round. */
  cursor(lease: Lease): Promise<WatchCursor | null>;
  /** Reads stored headers from `fromNumber` to `toNumber`, descending, for the search of the common ancestor. */
  headers(lease: Lease, fromNumber: number, toNumber: number): Promise<BlockHeader[]>;
  wantedControl(lease: Lease): Promise<WantedControl>;
  /** Picks the cuts of Carat's diamonds, by index, and tells whether a deployment of Carat requested them. */
  cutsOfOurs(lease: Lease, cuts: readonly CutPlace[]): Promise<{ index: number; isWanted: boolean }[]>;
  /**
   * Writes headers, events, their transitions, alerts, signals and cursor, in one transaction.
   * @returns the new alerts
   */
  commit(lease: Lease, round: WatchRound): Promise<RaisedAlert[]>;
  /** Writes that all blocks of the time that a restore has lost are read. */
  passRestore(lease: Lease): Promise<void>;
  /** Finds payments with an unjudged log, an intent in a mined slot, or a due expiry, by the judged block; ordered by id. */
  candidates(lease: Lease, judged: BlockHeader, page: CandidatePage): Promise<Candidate[]>;
  /**
   * Applies the verdicts to payments and their intents, and closes slots with nothing left to judge. A no-op when the judged
   * block is not the stored one.
   * @returns the new alerts
   */
  judge(lease: Lease, judgement: Judgement): Promise<RaisedAlert[]>;
  /** Shows on these payments why their words cannot be read, unless they show another reason, and clears it on all others. */
  showUnread(lease: Lease, unread: UnreadPayments): Promise<void>;
  /** Shows on everything that waits for the chain alone, with nothing left to send, whether the network is unreachable. */
  showUnreachable(lease: Lease, isUnreachable: boolean): Promise<void>;
  /** Reads the next token balances to check; starts over at the end. */
  tokenPlaces(lease: Lease, limit: number): Promise<TokenPlace[]>;
  /**
   * Writes stray tokens, and the place to continue at (null: the beginning).
   * @returns the new alerts
   */
  recordStrays(lease: Lease, found: readonly StrayTokens[], next: TokenPlace | null): Promise<RaisedAlert[]>;
  /** Halts the watcher until an operator acts, because the chain is not the stored one. */
  halt(lease: Lease, detail: string): Promise<void>;
  /** Writes an alert. Returns an empty list when it was written before. */
  alert(lease: Lease, alert: Alert): Promise<RaisedAlert[]>;
  /** Raises the conditions that hold, and ends the other looked at ones. */
  observe(lease: Lease, looked: Looked, holding: readonly ConditionAlert[]): Promise<Observed>;
}
