/** What a watcher and its store say to each other. Block numbers are plain numbers, timestamps Unix seconds. */
import type { DealEvent, DealVerdict } from '../deal.ts';
import type { Platform } from '../platform.ts';
import type { Alert, RaisedAlert } from './alert.ts';
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
  /** That of its chain. */
  readonly platform: Platform;
  /** Who must be root of the registry now. */
  readonly root: string;
  /** Who pauses and revokes: a key of its own. */
  readonly guardian: string;
  /** It is retired, and nobody asks its endpoints any more. */
  readonly isAtRest: boolean;
}

export interface WatchCursor {
  readonly number: number;
  readonly hash: string;
  readonly confirmedNumber: number | null;
  /** No payment waits for this network's chain, and no transaction of ours is under way on it. */
  readonly isIdle: boolean;
}

/** One round of a watcher: what it found beyond the cursor, written in one transaction. */
export interface WatchRound {
  /** Set when blocks were reorganised away: the common ancestor. Everything above it is forgotten first. */
  readonly rewindTo: number | null;
  /** Ascending, the first one's parent is the cursor (or the ancestor). */
  readonly headers: readonly BlockHeader[];
  /** Of these headers or older ones; where endpoints tell of several of one deal, the first one counts. */
  readonly events: readonly DealEvent[];
  /** What these headers hold that nobody here asked for. */
  readonly alerts: readonly Alert[];
  /** Newest block with the network's confirmations on which the quorum agrees; null leaves the stored one. */
  readonly confirmedNumber: number | null;
}

/** A payment that has to be judged at a confirmed block, and where the word of its deal is. */
export interface Candidate {
  readonly paymentId: string;
  readonly diamond: string;
  readonly dealId: bigint;
  readonly termsHash: string;
  /** False where no deal can be: the wallet's diamond was never active. */
  readonly isActive: boolean;
  /** What logs up to the judged block have told of the deal. */
  readonly told: Readonly<Record<DealEvent['kind'], boolean>>;
  /** One of them was told by too few endpoints to know its transaction. */
  readonly isUnproved: boolean;
}

/** Which candidates are read. */
export interface CandidatePage {
  /** Id of the last one of the page before. */
  readonly after: string | null;
  readonly limit: number;
  /** Open payments of which nothing hints at a change, too. */
  readonly all?: boolean;
  /** These open payments, too. */
  readonly again?: readonly string[];
}

/** A candidate with what the word says of it. */
export interface Judged {
  readonly candidate: Candidate;
  readonly verdict: DealVerdict;
}

/** What is known of some payments at a confirmed block, all of which is written in one transaction. */
export interface Judgement {
  readonly judged: BlockHeader;
  readonly decided: readonly Judged[];
  /** Logs of these deals that were sought because the words and the logs so far did not fit. */
  readonly sought: readonly DealEvent[];
}

/** What the catalogue wants of a network's registry. Addresses are lower-case. */
export interface WantedControl {
  /** Who shall have a role; the batcher's is not among them. */
  readonly roles: readonly { readonly role: string; readonly account: string }[];
  /** Who shall be root now. */
  readonly root: string;
}

/** Where a cut was seen. */
export interface CutPlace {
  readonly diamond: string;
  readonly transactionHash: string;
}

/** A token of the catalogue, and a diamond of ours. Addresses are lower-case. */
export interface TokenPlace {
  readonly token: string;
  readonly diamond: string;
}

/** Ids of payments whose words can not be read: because endpoints refuse it, or because too few of them agree. */
export interface UnreadPayments {
  readonly unreadable: readonly string[];
  readonly refused: readonly string[];
}

/** How much of the token the diamond holds, in base units. */
export interface StrayTokens extends TokenPlace {
  readonly units: bigint;
}

export interface WatchStore {
  /** Takes the lease; older holders are fenced off. */
  acquire(networkId: string): Promise<Lease>;
  /** Null before the first round. */
  cursor(lease: Lease): Promise<WatchCursor | null>;
  /** Stored headers from `fromNumber` to `toNumber`, descending: for the search of the common ancestor. */
  headers(lease: Lease, fromNumber: number, toNumber: number): Promise<BlockHeader[]>;
  wantedControl(lease: Lease): Promise<WantedControl>;
  /** Those cuts whose diamonds are ours, by their index, and whether a deployment of ours wants them. */
  cutsOfOurs(lease: Lease, cuts: readonly CutPlace[]): Promise<{ index: number; isWanted: boolean }[]>;
  /**
   * Writes headers, events, the transitions that follow from them, alerts, signals and cursor, in one transaction.
   * @returns the alerts that are new
   */
  commit(lease: Lease, round: WatchRound): Promise<RaisedAlert[]>;
  /**
   * Payments with a log that is not judged yet, an intent in a mined slot, or an expiry that is due, all by the judged
   * block; in the order of their ids.
   */
  candidates(lease: Lease, judged: BlockHeader, page: CandidatePage): Promise<Candidate[]>;
  /**
   * Lets payments and their intents follow from their words, and closes slots of which nothing is left to judge; nothing
   * when the judged block is not the stored one.
   * @returns the alerts that are new
   */
  judge(lease: Lease, judgement: Judgement): Promise<RaisedAlert[]>;
  /** Shows on these payments why their words can not be read, where they say nothing else, and ends that on all others. */
  showUnread(lease: Lease, unread: UnreadPayments): Promise<void>;
  /** Whose balances are read next: after the end of all of them from the beginning. */
  tokenPlaces(lease: Lease, limit: number): Promise<TokenPlace[]>;
  /**
   * Writes what diamonds hold, and where to go on (null: from the beginning).
   * @returns the alerts that are new
   */
  recordStrays(lease: Lease, found: readonly StrayTokens[], next: TokenPlace | null): Promise<RaisedAlert[]>;
  /** Stops watching until an operator acts (a chain that is not the stored one). */
  halt(lease: Lease, detail: string): Promise<void>;
  /** Writes an alert; the answer is empty when it was written before. */
  alert(lease: Lease, alert: Alert): Promise<RaisedAlert[]>;
  /** Closes the alert of a condition; the answer is empty when none is open. */
  alertOver(lease: Lease, key: string): Promise<RaisedAlert[]>;
}
