import type { Attempt, LaneAccount, Slot } from '../../domain/ports/lane.ts';
import { neverForFees } from '../rpc/send-errors.ts';
import { isBelowMarket, type FeeMarket } from '../signing/fees.ts';
import type { LaneTiming } from './context.ts';
import type { LaneMemory, Since } from './memory.ts';

/** The state of the chain at one tick, from one endpoint. Amounts in wei. */
export interface ChainView extends FeeMarket {
  readonly tip: number;
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

/** The state of a tick with work. */
export interface WorkState extends LaneState {
  /** The same slots with their states, by nonce. */
  readonly transactions: readonly OpenTransaction[];
}

/** A slot, and the state of its transaction. */
export interface OpenTransaction<State extends TransactionState = TransactionState> {
  readonly slot: Slot;
  readonly state: State;
}

/**
 * What the lane does with a transaction that is in no block yet, by its state; the first state that holds counts. The table
 * of docs/architecture.md says how the lane recognises each.
 */
export const actionOf = {
  unsigned: 'sign',
  used: 'settle',
  nudged: 'raise fees and gas',
  unmined: 'make smaller',
  overdue: 'raise fees and gas',
  underpriced: 'raise fees',
  wrong_gas: 'raise fees and gas',
  too_large: 'make smaller',
  below_base_fee: 'raise fees',
  outbid: 'raise fees',
  kept_out: 'send again',
  missing: 'send again',
  pending: 'send again',
} as const;

export type TransactionState = { readonly is: 'unsigned' | 'used' } | PendingState;

/** The state of a signed transaction whose nonce is not used. */
export interface PendingState {
  readonly is: Exclude<keyof typeof actionOf, 'unsigned' | 'used'>;
  readonly last: Attempt;
  /** True when the bytes of the last attempt are sent again, unless a new attempt replaces it. */
  readonly isDue: boolean;
}

/** The transactions that are signed and whose nonces are not used. */
export const pendingOf = (transactions: readonly OpenTransaction[]): OpenTransaction<PendingState>[] =>
  transactions.flatMap(({ slot, state }) => ('last' in state ? [{ slot, state }] : []));

/** What a tick knows of transactions: the view of one endpoint, and what the lane remembers. */
export interface Known {
  readonly view: Omit<ChainView, 'balance'>;
  readonly memory: Pick<LaneMemory['transactions'], 'rejected' | 'oldest' | 'unseen' | 'unmined' | 'shown'>;
  readonly timing: Pick<LaneTiming, 'missing' | 'rebroadcast' | 'bump' | 'bumpBlocks' | 'unreachable'>;
  readonly blockTimeMs: number;
  /** By `steadyClock`, like all times. */
  readonly now: number;
}

/** The states of a tick's transactions, and what the lane remembers of the oldest one. */
export interface States {
  readonly transactions: readonly OpenTransaction[];
  readonly oldest: Since | null;
  readonly unseen: Since | null;
  readonly unmined: Since | null;
  /** The oldest slot, once it was unseen for a long time, and once no block took it for a long time although its fee suffices. */
  readonly dropped: Slot | null;
  readonly stuck: Slot | null;
  /** True when the oldest transaction has waited long enough, but this endpoint shows too few blocks. */
  readonly standsStill: boolean;
}

/** Finds the states of transactions. Pure: it reads no clock and changes no memory. */
export const statesOf = (slots: readonly Slot[], known: Known): States => {
  const { view, memory, timing } = known;
  const head = slots.find((slot) => slot.state === 'signed' && slot.nonce === view.nonce);
  const last = head?.attempts.at(-1);
  const isCounted = head !== undefined && last !== undefined && last.lastSentAt !== null && !isKeptOut(head, known);
  // What is kept out is not overdue, but its count goes on.
  const oldest = isCounted ? sinceWhen(memory.oldest, `${head.id}:${last.seq}`, known) : memory.oldest;
  const { hasWaited, isOverdue, isLong } = waitOf(isCounted ? oldest : null, known);
  const unseen = head !== undefined && isUnseen(head, known) ? sinceWhen(memory.unseen, head.id, known) : null;
  const unmined = isCounted ? unminedSince(head, last, known) : null;
  const stuck = unmined !== null && isLate(unmined, known) ? head! : null;
  const ageOf = (isHead: boolean): Age => ({
    isUnmined: isHead && stuck !== null,
    isOverdue: isHead && isOverdue,
    isLong: isHead && isLong,
    isBehind: isOverdue,
  });
  return {
    transactions: slots.map((slot) => ({ slot, state: stateOf(slot, known, ageOf(slot === head)) })),
    oldest,
    unseen,
    unmined,
    stuck,
    dropped: unseen !== null && hasLasted(unseen, timing.unreachable, known) ? head! : null,
    standsStill: hasWaited && !isOverdue,
  };
};

/** How long the oldest attempt has waited: for the time until its fee is raised, for some blocks too, and for much longer. */
const waitOf = (oldest: Since | null, known: Known) => {
  const { memory, timing, now } = known;
  const hasWaited = oldest !== null && oldest.id === memory.oldest?.id && now - oldest.at >= timing.bump;
  const isOverdue = hasWaited && hasLasted(oldest, timing.bump, known);
  const isLong = isOverdue && hasLasted(oldest, timing.bump * LONG, known, timing.bumpBlocks * LONG);
  return { hasWaited, isOverdue, isLong };
};

/**
 * Since when the endpoints accept the oldest transaction with fees that suffice; null while that is not so. A suggested tip that rises
 * afterwards does not end it.
 */
const unminedSince = (head: Slot, last: Attempt, known: Known): Since | null => {
  const { view, memory } = known;
  const suffices = memory.unmined?.id === head.id ? last.maxFeePerGas >= view.baseFee : !isBelowMarket(last, view);
  return last.lastError === null && suffices ? sinceWhen(memory.unmined, head.id, known) : null;
};

/** True when such a transaction should have been mined long ago, and its fees could be raised meanwhile. */
const isLate = (unmined: Since, known: Known): boolean =>
  hasLasted(unmined, Math.max(known.timing.unreachable, known.timing.bump), known, MOST_BLOCKS);

/** Goes on with the count of this slot or attempt, else begins one. An endpoint may have reported a tip that does not exist. */
const sinceWhen = (before: Since | null, id: string, { view, now }: Known): Since =>
  before?.id === id ? { ...before, block: Math.min(before.block, view.tip) } : { id, at: now, block: view.tip };

/** True when it has held for this time and for some blocks. */
const hasLasted = (
  { at, block }: Since,
  ms: number,
  { view, timing, now }: Known,
  blocks = timing.bumpBlocks,
): boolean => now - at >= ms && view.tip - block >= blocks;

/** How long an attempt has been the oldest one. */
interface Age {
  /** True when no block takes it although its fee suffices: blocks may have no room for its gas or bytes. */
  readonly isUnmined: boolean;
  readonly isOverdue: boolean;
  /** True after `LONG` times as long. */
  readonly isLong: boolean;
  /** True when the oldest one is overdue. */
  readonly isBehind: boolean;
}

const LONG = 10;
/** Blocks that may leave out a transaction with enough fees before that is told. */
const MOST_BLOCKS = 10;

const stateOf = (slot: Slot, known: Known, age: Age): TransactionState => {
  const { view, timing, now } = known;
  const last = slot.attempts.at(-1);
  if (slot.state === 'assigned' || last === undefined) return { is: 'unsigned' };
  if (slot.nonce < view.nonce) return { is: 'used' };
  const lastSentAt = last.lastSentAt ?? -Infinity;
  // A pool that drops it again and again, or never counts it, gets it ever more seldom.
  const often = Math.min(timing.missing * 2 ** Math.max(0, last.sends - 1), timing.rebroadcast);
  const patience = isMissing(slot, known) ? Math.max(timing.missing, often) : timing.rebroadcast;
  const isDue = now - lastSentAt >= patience || (slot.nudgedAt !== null && slot.nudgedAt > lastSentAt);
  return { is: pendingState(slot, last, known, age), last, isDue };
};

const pendingState = (slot: Slot, last: Attempt, known: Known, age: Age): PendingState['is'] => {
  const { isUnmined, isOverdue, isLong, isBehind } = age;
  const { view, now, blockTimeMs } = known;
  // The last attempt had one block time to be mined.
  if (slot.nudgedAt !== null && now - last.signedAt >= blockTimeMs) return 'nudged';
  if (isUnmined) return 'unmined';
  if (isOverdue && !isGone(slot, last, known)) return 'overdue';
  const rejected = stateByRejection(slot, known, isBehind);
  if (rejected !== null) return rejected;
  if (last.maxFeePerGas < view.baseFee) return 'below_base_fee';
  if (isOverdue && isBelowMarket(last, view)) return 'outbid';
  if (isKeptOut(slot, known)) return 'kept_out';
  // A count of the pool may ignore the pool. If it is true, the raise ends at twice the fees of the chain.
  if (isLong && isBelowMarket(last, { baseFee: 2n * view.baseFee, priorityFee: 2n * view.priorityFee }))
    return 'overdue';
  return isMissing(slot, known) ? 'missing' : 'pending';
};

/** What the endpoints miss in a transaction, or have too much of; null for nothing. */
const stateByRejection = (slot: Slot, { view, memory }: Known, isBehind: boolean): PendingState['is'] | null => {
  const lacks = memory.rejected.get(slot.id)?.lacks;
  if (lacks === 'fee') return 'underpriced';
  if (lacks === 'gas') return 'wrong_gas';
  // Blocks of other sizes may come in between.
  return lacks === 'size' || (isBehind && slot.gasLimit > view.blockGasLimit) ? 'too_large' : null;
};

/** True when the pool lacks the transaction. Some endpoints do not know their pool, or count without it. */
const isMissing = ({ id, nonce }: Slot, { view, memory, timing, now }: Known): boolean =>
  view.pendingNonce !== null &&
  nonce >= view.pendingNonce &&
  now - (memory.shown.get(id) ?? -Infinity) > 2 * timing.rebroadcast;

/**
 * True when the endpoints accept a transaction that the pool lacks, or lacked until lately. They may drop it at any fee. A
 * pool that drops it for its fee rejects it when it is sent again.
 */
const isGone = (slot: Slot, { lastSentAt }: Attempt, known: Known): boolean => {
  const { memory, now, blockTimeMs } = known;
  const isNewlySent = now - (lastSentAt ?? 0) < 2 * blockTimeMs;
  return !memory.rejected.has(slot.id) && (isNewlySent || isMissing(slot, known));
};

/** True when endpoints reject a transaction for a reason that no fee removes, and no pool is known to have it. */
const isKeptOut = (slot: Slot, known: Known): boolean => {
  const { view, memory } = known;
  const rejected = memory.rejected.get(slot.id)?.as;
  if (rejected === undefined || !neverForFees.has(rejected)) return false;
  return isMissing(slot, known) || (view.pendingNonce === null && rejected !== 'possibly_sent');
};

/** True when no endpoint has rejected a slot's transaction, its fee suffices, and the pool of this view is not known to have it. */
const isUnseen = (slot: Slot, known: Known): boolean =>
  slot.attempts.some(({ lastSentAt }) => lastSentAt !== null) &&
  slot.attempts.every(({ lastError }) => lastError === null) &&
  slot.attempts.at(-1)!.maxFeePerGas >= known.view.baseFee &&
  (known.view.pendingNonce === null || isMissing(slot, known));
