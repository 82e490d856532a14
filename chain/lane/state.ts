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
  overdue: 'raise fees and gas',
  underpriced: 'raise fees',
  wrong_gas: 'raise fees and gas',
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
  readonly view: Omit<ChainView, 'balance' | 'blockGasLimit'>;
  readonly memory: Pick<LaneMemory['transactions'], 'rejected' | 'oldest' | 'unseen'>;
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
  /** The oldest slot, once it was unseen for a long time. */
  readonly dropped: Slot | null;
  /** True when the oldest transaction has waited long enough, but this endpoint shows too few blocks. */
  readonly standsStill: boolean;
}

/** Finds the states of transactions. Pure: it reads no clock and changes no memory. */
export const statesOf = (slots: readonly Slot[], known: Known): States => {
  const { view, memory, timing, now } = known;
  const head = slots.find((slot) => slot.state === 'signed' && slot.nonce === view.nonce);
  const last = head?.attempts.at(-1);
  const isCounted = head !== undefined && last !== undefined && last.lastSentAt !== null && !isKeptOut(head, known);
  // What is kept out is not overdue, but its count goes on.
  const oldest = isCounted ? sinceWhen(memory.oldest, `${head.id}:${last.seq}`, known) : memory.oldest;
  const hasWaited = isCounted && oldest!.id === memory.oldest?.id && now - oldest!.at >= timing.bump;
  const isOverdue = hasWaited && hasLasted(oldest!, timing.bump, known);
  const unseen = head !== undefined && isUnseen(head, known) ? sinceWhen(memory.unseen, head.id, known) : null;
  return {
    transactions: slots.map((slot) => ({ slot, state: stateOf(slot, known, isOverdue && slot === head) })),
    oldest,
    unseen,
    dropped: unseen !== null && hasLasted(unseen, timing.unreachable, known) ? head! : null,
    standsStill: hasWaited && !isOverdue,
  };
};

/** Goes on with the count of this slot or attempt, else begins one. An endpoint may have reported a tip that does not exist. */
const sinceWhen = (before: Since | null, id: string, { view, now }: Known): Since =>
  before?.id === id ? { ...before, block: Math.min(before.block, view.tip) } : { id, at: now, block: view.tip };

/** True when it has held for this time and for some blocks. */
const hasLasted = ({ at, block }: Since, ms: number, { view, timing, now }: Known): boolean =>
  now - at >= ms && view.tip - block >= timing.bumpBlocks;

const stateOf = (slot: Slot, known: Known, isOverdue: boolean): TransactionState => {
  const { view, timing, now } = known;
  const last = slot.attempts.at(-1);
  if (slot.state === 'assigned' || last === undefined) return { is: 'unsigned' };
  if (slot.nonce < view.nonce) return { is: 'used' };
  const lastSentAt = last.lastSentAt ?? -Infinity;
  const patience = isMissing(slot, known) ? timing.missing : timing.rebroadcast;
  const isDue = now - lastSentAt >= patience || (slot.nudgedAt !== null && slot.nudgedAt > lastSentAt);
  return { is: pendingState(slot, last, known, isOverdue), last, isDue };
};

const pendingState = (slot: Slot, last: Attempt, known: Known, isOverdue: boolean): PendingState['is'] => {
  const { view, memory, now, blockTimeMs } = known;
  const lacks = memory.rejected.get(slot.id)?.lacks;
  // The last attempt had one block time to be mined.
  if (slot.nudgedAt !== null && now - last.signedAt >= blockTimeMs) return 'nudged';
  if (isOverdue && !isGone(slot, last, known)) return 'overdue';
  if (lacks === 'fee') return 'underpriced';
  if (lacks === 'gas') return 'wrong_gas';
  if (last.maxFeePerGas < view.baseFee) return 'below_base_fee';
  if (isOverdue && isBelowMarket(last, view)) return 'outbid';
  if (isKeptOut(slot, known)) return 'kept_out';
  return isMissing(slot, known) ? 'missing' : 'pending';
};

/** True when the pool lacks the transaction. Some endpoints do not know their pool. */
const isMissing = ({ nonce }: Slot, { view }: Pick<Known, 'view'>): boolean =>
  view.pendingNonce !== null && nonce >= view.pendingNonce;

/**
 * True when the endpoints accept a transaction that the pool lacks, or lacked until lately. They may drop it at any fee. A
 * pool that drops it for its fee rejects it when it is sent again.
 */
const isGone = (slot: Slot, { lastSentAt }: Attempt, { view, memory, now, blockTimeMs }: Known): boolean => {
  const isNewlySent = now - (lastSentAt ?? 0) < 2 * blockTimeMs;
  return !memory.rejected.has(slot.id) && (isNewlySent || isMissing(slot, { view }));
};

/** True when endpoints reject a transaction for a reason that no fee removes, and no pool is known to have it. */
const isKeptOut = (slot: Slot, { view, memory }: Known): boolean => {
  const rejected = memory.rejected.get(slot.id)?.as;
  if (rejected === undefined || !neverForFees.has(rejected)) return false;
  return isMissing(slot, { view }) || (view.pendingNonce === null && rejected !== 'possibly_sent');
};

/** True when no endpoint has rejected a slot's transaction, its fee suffices, and the pool of this view is not known to have it. */
const isUnseen = (slot: Slot, { view }: Known): boolean =>
  slot.attempts.some(({ lastSentAt }) => lastSentAt !== null) &&
  slot.attempts.every(({ lastError }) => lastError === null) &&
  slot.attempts.at(-1)!.maxFeePerGas >= view.baseFee &&
  (view.pendingNonce === null || isMissing(slot, { view }));
