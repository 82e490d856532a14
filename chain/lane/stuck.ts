import type { WaitingDetail } from '../../domain/payment.ts';
import type { Slot } from '../../domain/ports/lane.ts';
import type { LaneRun, LaneState } from './context.ts';
import { isTooDear } from './fees.ts';

type Condition = (run: LaneRun, state: LaneState, slot: Slot) => boolean;

/** Why a transaction that was signed cannot be mined now. An alert tells the operator each of them. */
const reasons: Partial<Record<WaitingDetail, Condition>> = {
  fees_above_ceiling: isTooDear,
  operator_underfunded: ({ memory }, _, { id }) => memory.notTaken.get(id)?.as === 'insufficient_funds',
};

/**
 * Shows on the payments and steps of signed slots why their transaction waits, and removes reasons that no longer hold. While a
 * reason lasts, it is written repeatedly: another one may have stood there first.
 */
export const tellStuck = async (run: LaneRun, state: LaneState): Promise<void> => {
  const { memory, store, lease, timing } = run;
  const signed = state.slots.filter((slot) => slot.state === 'signed');
  for (const [name, holds] of Object.entries(reasons)) {
    const reason = name as WaitingDetail;
    const ids = signed.filter((slot) => holds(run, state, slot)).map(({ id }) => id);
    const told = memory.stuckTold.get(reason);
    const slots = ids.join();
    if (told?.slots === slots && (slots === '' || Date.now() - told.at < timing.foreign)) continue;
    await store.showOnSlots(lease, reason, ids);
    memory.stuckTold.set(reason, { slots, at: Date.now() });
  }
};
