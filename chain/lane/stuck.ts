import type { WaitingDetail } from '../../domain/payment.ts';
import type { Slot } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import type { LaneRun } from './context.ts';
import type { LaneMemory } from './memory.ts';
import { alertSlot } from './send.ts';
import { pendingOf, type PendingState, type OpenTransaction, type WorkState } from './state.ts';

type Condition = (transaction: OpenTransaction<PendingState>, tooDear: ReadonlySet<string>) => boolean;

/** Why a signed transaction cannot be mined now; the first one counts. An alert tells the operator each of them. */
const conditions: readonly (readonly [WaitingDetail, Condition])[] = [
  ['fees_above_ceiling', ({ slot }, tooDear) => tooDear.has(slot.id)],
  ['operator_underfunded', ({ state }) => state.last.lastError === 'insufficient_funds'],
];

/** The slots of a tick, and those whose fees cannot be raised although they are below the base fee. */
interface UnderWay {
  readonly state: WorkState;
  readonly tooDear: ReadonlySet<string>;
}

/** Slots that wait for a reason. Fees that swing around the ceiling do not end it with every block. */
const stuckSlots = ({ memory, timing }: LaneRun, { state, tooDear }: UnderWay): LaneMemory['transactions']['stuck'] => {
  const now = steadyClock.now();
  const stuck: LaneMemory['transactions']['stuck'] = new Map();
  for (const transaction of pendingOf(state.transactions)) {
    const { slot } = transaction;
    const [reason] = conditions.find(([, holds]) => holds(transaction, tooDear)) ?? [];
    const before = memory.transactions.stuck.get(slot.id);
    if (reason !== undefined) stuck.set(slot.id, { reason, at: now });
    else if (before !== undefined && now - before.at < timing.foreign) stuck.set(slot.id, before);
  }
  return stuck;
};

/**
 * Shows on the payments and steps of signed slots why their transaction waits, and removes reasons that no longer hold. While a
 * reason lasts, it is written repeatedly: another one may have stood there first.
 * @param underWay null while nothing is
 */
export const tellStuck = async (run: LaneRun, underWay: UnderWay | null): Promise<void> => {
  const { memory, store, lease, timing } = run;
  memory.transactions.stuck = underWay === null ? new Map() : stuckSlots(run, underWay);
  const told = [...memory.transactions.stuck].map(([id, { reason }]) => `${id} ${reason}`).join();
  const isNews = told !== memory.shown.stuck.what;
  if (!isNews && (told === '' || steadyClock.now() - memory.shown.stuck.at < timing.foreign)) return;
  const show = async (): Promise<void> => {
    for (const [reason] of conditions) {
      const ids = [...memory.transactions.stuck].filter(([, one]) => one.reason === reason).map(([id]) => id);
      await store.showOnSlots(lease, reason, ids);
    }
  };
  await show();
  // Where one reason follows another, the first pass may only have removed the former.
  if (isNews && told !== '') await show();
  memory.shown.stuck.what = told;
  memory.shown.stuck.at = steadyClock.now();
};

/**
 * Raises an alert when endpoints accept the oldest transaction for a long time, and neither a pool nor a block shows it.
 * Chains without a public pool show it in a block.
 * @param head the oldest slot, after that time; else null
 */
export const tellDropped = async (run: LaneRun, head: Slot | null): Promise<void> => {
  if (head === null) return;
  const { memory, rpc, signal } = run;
  // An endpoint may not count its pool. It is asked again after the same time.
  memory.transactions.unseen = null;
  const requests = head.attempts.map(({ txHash }) => ({ method: 'eth_getTransactionByHash', params: [txHash] }));
  const responses = await rpc.everyone(requests, { signal });
  const shown = responses.flatMap(({ outcomes }) => outcomes.flatMap((own) => (own.ok ? [own.result] : [])));
  if (shown.length === 0 || shown.some((transaction) => transaction !== null)) return;
  await alertSlot(run, head, 'kept', 'it accepts the transaction, but neither its pool nor a block shows it');
};
