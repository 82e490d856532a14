import type { ChainRun } from '../../domain/ports/chain-run.ts';
import type { Failpoint } from '../../domain/ports/failpoint.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { BlockHeader, WatchedNetwork, WatchStore } from '../../domain/ports/watcher.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import type { Observer } from '../../domain/tools/observer.ts';
import { createEpisode, type Episode } from '../../domain/tools/episode.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** Intervals and patience of a watcher, in milliseconds. */
export interface WatchTiming {
  /** Pause between rounds. */
  readonly tick: number;
  /** Interval of requests while nothing is under way: one block, at most 12 s. */
  readonly idle: number;
  /** Oldest usable comparison of all endpoints while something is under way, or while the tip stands still. */
  readonly compared: number;
  /** The same while nothing is under way. */
  readonly comparedIdle: number;
  /** Interval at which several endpoints are asked for logs while nothing is under way. */
  readonly logsIdle: number;
  /** Pause between judgements while no new block is confirmed. */
  readonly again: number;
  /** How long a word stays unreadable before an alert. */
  readonly unreadable: number;
  /** Interval of the recheck, which reads the words of a page of open payments without any hint. */
  readonly recheck: number;
  /** Interval of reading the token balances of some diamonds. */
  readonly strays: number;
  /** Interval of checks of a halted network. */
  readonly halted: number;
  /** How long all endpoints may be silent before an alert. */
  readonly unreachable: number;
}

/** Most headers of one round, so that its transaction stays short. */
export const MAX_HEADERS = 64;

/** The default timing for a block time. */
export const watchTiming = (blockTimeMs: number): WatchTiming => ({
  tick: Math.min(Math.max(blockTimeMs / 4, 25), 1_000),
  idle: Math.min(blockTimeMs, 12_000),
  compared: Math.max(blockTimeMs, 500),
  comparedIdle: 10_000,
  logsIdle: 30_000,
  again: Math.min(Math.max(blockTimeMs, 1_000), 5_000),
  unreadable: 30_000,
  recheck: 10_000,
  strays: 60_000,
  halted: 5_000,
  unreachable: Math.min(Math.max(blockTimeMs * 10, 3_000), 30_000),
});

export interface WatcherDeps {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
  readonly store: WatchStore;
  readonly timing?: Partial<WatchTiming>;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/**
 * The memory of a run, which saves work. It may be lost: a new run starts with an empty one. Times are those of `steadyClock`: a
 * clock that is set back does not lengthen a pause.
 */
export interface WatchMemory {
  /** Blocks of which at most one endpoint was asked for logs, and reported none. Several endpoints are asked later. */
  unread: readonly BlockHeader[];
  /** Number of the newest of these blocks of which one endpoint was asked. */
  readTo: number;
  /** Time at which several endpoints were asked for logs last. */
  readAt: number;
  /** Time of the last round that sent a request. */
  lookedAt: number;
  /** Time of the last new block. */
  risen: number;
  /** Most headers of one round, and most blocks whose logs are requested at once: fewer after a failure. */
  span: number;
  /** Number of the newest block that most endpoints confirmed. */
  agreedTo: number;
  /** Number of the lowest stored block that most endpoints were found not to have; null for none. */
  contested: number | null;
  /** Since when endpoints have not agreed on the newest blocks, or have been below the cursor; null while they do and are not. */
  disagreedAt: number | null;
  /** Time of the last page of the recheck, and the last id of that page. */
  rechecked: { readonly at: number; readonly after: string | null };
  /** True once this run has read the words of all open payments, or there are none. */
  isRechecked: boolean;
  /** When the endpoints were asked last whether the leading one alone stands still. */
  standingAt: number;
  /** When several endpoints were asked last for the confirmations of a block, and whether too few had them. */
  confirming: { readonly at: number; readonly isLate: boolean };
  /** Time of the last judgement, and the hash of its block; null where a word was unreadable. */
  judged: { readonly at: number; readonly hash: string | null };
  /** Number of the block of the last judgement, where fewer endpoints than the quorum had it. */
  lacked: number | null;
  /** Time of the last read of token balances. */
  strayAt: number;
  /** After a restore: the block up to which blocks may be lost, as far as it is known; else null. */
  lostUntil: number | null;
  /** True once this run knows whether the registry is paused on the canonical chain. */
  isPauseKnown: boolean;
  /** The batcher that reads words, once it is known to exist. */
  reader: string | null;
  pauseAskedAt: number;
  /** Payments whose words were unreadable at the last judgement, by payment id. */
  undecided: ReadonlyMap<string, Undecided>;
  /** True while payments show it; null while this run does not know. */
  isUnreadShown: boolean | null;
  /** Lasts while the network is not the one that the stored data belongs to. */
  readonly halted: Episode;
  /** How many looks in a row found a halted network back. */
  returned: number;
}

/** A payment whose word is unreadable. */
export interface Undecided {
  /** In milliseconds of `steadyClock`. */
  readonly since: number;
  readonly diamond: string;
  /** The last refusal of an endpoint to read it; null where none refused. */
  readonly refused: RpcError | null;
}

export const newWatchMemory = (unread: readonly BlockHeader[]): WatchMemory => ({
  unread,
  readTo: -1,
  readAt: -Infinity,
  lookedAt: -Infinity,
  risen: steadyClock.now(),
  span: MAX_HEADERS,
  agreedTo: -Infinity,
  contested: null,
  disagreedAt: null,
  rechecked: { at: steadyClock.now(), after: null },
  isRechecked: false,
  standingAt: -Infinity,
  confirming: { at: -Infinity, isLate: false },
  judged: { at: -Infinity, hash: null },
  lacked: null,
  strayAt: steadyClock.now(),
  lostUntil: null,
  isPauseKnown: false,
  reader: null,
  pauseAskedAt: -Infinity,
  undecided: new Map(),
  isUnreadShown: null,
  halted: createEpisode(),
  returned: 0,
});

export interface WatchRun extends Omit<WatcherDeps, 'timing'> {
  readonly lease: Lease;
  readonly registry: string;
  readonly timing: WatchTiming;
  readonly memory: WatchMemory;
  readonly observed: Observer;
  readonly signal: AbortSignal;
  readonly heartbeat: ChainRun['heartbeat'];
}

/** The part of the chain beyond the cursor, from one endpoint. */
export interface Scan {
  /** Number of the common ancestor after a reorganisation; else null. */
  readonly rewindTo: number | null;
  /** Ascending; each is the child of the one before. */
  readonly headers: readonly BlockHeader[];
  /** True when more blocks exist than one round takes. */
  readonly more: boolean;
  /** The responses to the other requests of the exchange. */
  readonly responses: readonly RpcOutcome[];
  /** True when the endpoint's newest block is below the cursor. */
  readonly isBehind?: boolean;
}

/** Milliseconds for which endpoints may disagree: they learn of new blocks one after another. */
const DISAGREED_MS = 5_000;

/**
 * Notes that endpoints do not agree on the newest blocks, or have none of those that were read last.
 * @throws RpcError once that lasts, so that it is told
 */
export const noteDisagreement = (
  { memory }: WatchRun,
  problem = 'too few endpoints agree on the newest block',
): void => {
  memory.disagreedAt ??= steadyClock.now();
  if (steadyClock.now() - memory.disagreedAt >= DISAGREED_MS) throw new RpcError('inconsistent', problem);
};

/** The chain cannot be followed until an operator acts. */
export class HaltError extends Error {
  override readonly name = 'HaltError';
}
