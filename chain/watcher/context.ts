import type { ChainRun } from '../../domain/ports/chain-run.ts';
import type { Failpoint } from '../../domain/ports/failpoint.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { BlockHeader, WatchedNetwork, WatchStore } from '../../domain/ports/watcher.ts';
import { createSpell, type Spell } from '../../domain/tools/spell.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import type { RpcError } from '../rpc/error.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** How patient a watcher is, in milliseconds. */
export interface WatchTiming {
  /** Pause between looks at the tip. */
  readonly tick: number;
  /** Pause between questions to endpoints while nothing is under way: a block. */
  readonly idle: number;
  /** So old may be the comparison of all endpoints: while something is under way, or the tip stands still. */
  readonly compared: number;
  /** The same while nothing is; all are asked for their logs as often. */
  readonly comparedIdle: number;
  /** Pause between judgements while no new block is confirmed. */
  readonly again: number;
  /** So long may a word stay unreadable before an operator is told. */
  readonly unreadable: number;
  /** Pause between pages of open payments whose words are read although nothing hints at them. */
  readonly sweep: number;
  /** Pause between looks at some of the tokens that diamonds hold. */
  readonly strays: number;
  /** Pause between looks at a network that is halted. */
  readonly halted: number;
  /** How long the endpoints may be silent before operators are told. */
  readonly unreachable: number;
}

/** Defaults for a block time. */
export const watchTiming = (blockTimeMs: number): WatchTiming => ({
  tick: Math.min(Math.max(blockTimeMs / 4, 25), 1_000),
  idle: blockTimeMs,
  compared: Math.max(blockTimeMs, 500),
  comparedIdle: 30_000,
  again: Math.min(Math.max(blockTimeMs, 1_000), 5_000),
  unreadable: 30_000,
  sweep: 10_000,
  strays: 60_000,
  halted: 5_000,
  unreachable: Math.min(Math.max(blockTimeMs * 10, 3_000), 30_000),
});

/** What a watcher is made of. */
export interface WatcherDeps {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
  readonly store: WatchStore;
  readonly timing?: Partial<WatchTiming>;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** What a run remembers to save work. Nothing is wrong without it: a new run starts with an empty one. */
export interface WatchMemory {
  /** Blocks of which one endpoint at most was asked, which told of no log; more are asked now and then while nothing is under way. */
  unread: readonly BlockHeader[];
  /** The newest of them of which one was asked. */
  readTo: number;
  /** When several were asked last. */
  readAt: number;
  /** When an endpoint was asked last. */
  lookedAt: number;
  /** When there was a new block last. */
  risen: number;
  /** The newest block that most endpoints were asked for and have. */
  borneOut: number;
  /** When a page of open payments was read last, and its last id. */
  swept: { readonly at: number; readonly after: string | null };
  /** This run has read the words of all open payments once, or there are none. */
  isSwept: boolean;
  /** When everything that was due was judged last, and the hash of the block, null where a word could not be read. */
  judged: { readonly at: number; readonly hash: string | null };
  /** When it was looked for tokens that diamonds hold. */
  strayAt: number;
  /** This run knows whether the registry is paused by the blocks of now, and when it has asked last. */
  isPauseKnown: boolean;
  /** The batcher that words are read by, once it is known to be there. */
  reader: string | null;
  pauseAskedAt: number;
  /** Payments whose words could not be read at the last look, and since when. */
  undecided: ReadonlyMap<string, Undecided>;
  /** Which of them say so themselves; null while this run does not know. */
  unreadTold: string | null;
  /** All words could be read at the last look; false at the beginning, because an earlier run may have told otherwise. */
  isReadable: boolean;
  /** The network is another one than the stored data belongs to. */
  readonly halted: Spell;
}

/** A payment whose word can not be read. */
export interface Undecided {
  /** In milliseconds since the epoch. */
  readonly since: number;
  readonly diamond: string;
  /** What an endpoint said that refused to read it at last; null where none has. */
  readonly refused: RpcError | null;
}

export const newMemory = (unread: readonly BlockHeader[]): WatchMemory => ({
  unread,
  readTo: -1,
  readAt: 0,
  lookedAt: 0,
  risen: Date.now(),
  borneOut: -Infinity,
  swept: { at: Date.now(), after: null },
  isSwept: false,
  judged: { at: 0, hash: null },
  strayAt: Date.now(),
  isPauseKnown: false,
  reader: null,
  pauseAskedAt: 0,
  undecided: new Map(),
  unreadTold: null,
  isReadable: false,
  halted: createSpell(),
});

/** One run of a watcher. */
export interface WatchRun extends Omit<WatcherDeps, 'timing'> {
  readonly lease: Lease;
  readonly registry: string;
  readonly timing: WatchTiming;
  readonly memory: WatchMemory;
  readonly signal: AbortSignal;
  readonly heartbeat: ChainRun['heartbeat'];
}

/** What of the chain lies beyond the cursor; all from one endpoint. */
export interface Scan {
  /** Common ancestor, when blocks were reorganised away. */
  readonly rewindTo: number | null;
  /** Ascending, each the child of the one before. */
  readonly headers: readonly BlockHeader[];
  /** More blocks are there than one round takes. */
  readonly more: boolean;
  /** What the endpoint answered to the other requests of the exchange. */
  readonly answers: readonly RpcOutcome[];
}

/** The chain can not be followed any more until an operator has acted. */
export class HaltError extends Error {
  override readonly name = 'HaltError';
}
