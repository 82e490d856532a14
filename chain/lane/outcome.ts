import type { Slot } from '../../domain/lane.ts';
import type { LaneRun } from './context.ts';
import { observe, type Observation } from './observe.ts';

/**
 * Reads what became of everything under way and writes it down.
 * @returns the observation and the slots as they are after it
 */
export const settle = async (
  run: LaneRun,
  slots: readonly Slot[],
): Promise<Observation & { slots: readonly Slot[] }> => {
  const { store, lease, log } = run;
  const seen = await observe(run, slots);
  if (seen.unmined.length > 0) {
    await store.recordUnmined(lease, seen.unmined);
    log.warn('Transactions were reorganised away', { network: run.network.name, slots: seen.unmined.length });
  }
  if (seen.mined.length > 0) {
    run.failpoint('runLane:before_mined');
    await store.recordMined(lease, seen.mined);
    run.failpoint('runLane:after_mined');
  }
  const minedById = new Map(seen.mined.map((mined) => [mined.slotId, mined]));
  const lost = new Set(seen.unmined);
  return {
    ...seen,
    slots: slots.map((slot): Slot => {
      const mined = minedById.get(slot.id);
      if (mined) return { ...slot, ...mined, state: 'mined' };
      return lost.has(slot.id) ? { ...slot, state: 'signed', blockNumber: null, blockHash: null, txHash: null } : slot;
    }),
  };
};
