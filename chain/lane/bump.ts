import type { Attempt, Slot } from '../../domain/lane.ts';
import { replacementFees } from './fees.ts';
import type { LaneRun, LaneState } from './context.ts';
import type { Unsigned } from './outgoing.ts';

/**
 * Slots whose fees have to rise: the oldest one when it has stood too long, every one below the base fee, and those that
 * a node refused for their fee. Only fees change; nonce, receiver, data and gas stay.
 */
export const bumps = async (run: LaneRun, state: LaneState): Promise<Unsigned[]> => {
  const { network, memory } = run;
  const { view } = state;
  const unsigned: Unsigned[] = [];
  for (const slot of state.slots) {
    const last = slot.attempts.at(-1);
    if (slot.state !== 'signed' || last === undefined || slot.nonce < view.nonce) continue;
    const stuck = slot.nonce === view.nonce && isStuck(run, state, slot, last);
    if (!stuck && last.maxFeePerGas >= view.baseFee && !memory.refused.has(slot.id)) continue;
    const fees = replacementFees(last, view, network.maxFeePerGas);
    memory.refused.delete(slot.id);
    if (fees === null) await alertCeiling(run, slot, last);
    else unsigned.push({ slot, fees });
  }
  return unsigned;
};

const isStuck = ({ memory, timing }: LaneRun, { view }: LaneState, slot: Slot, last: Attempt): boolean => {
  if (last.lastSentAt === null) return false;
  const key = `${slot.id}:${last.seq}`;
  const since = memory.headSince.get(key);
  if (since === undefined) {
    // One account has one oldest transaction; older entries are of no use any more.
    memory.headSince.clear();
    memory.headSince.set(key, { at: Date.now(), block: view.tip });
    return false;
  }
  return Date.now() - since.at >= timing.bump && view.tip - since.block >= timing.bumpBlocks;
};

const alertCeiling = async ({ store, lease, network, signer }: LaneRun, slot: Slot, last: Attempt): Promise<void> => {
  await store.alert(lease, {
    key: `fees_above_ceiling:${slot.id}:${last.seq}`,
    kind: 'fees_above_ceiling',
    message: `Transaction ${slot.nonce} of ${signer.address} on ${network.name} would need fees above the network's ceiling`,
    data: {
      nonce: slot.nonce,
      ceiling: network.maxFeePerGas.toString(),
      max_fee_per_gas: last.maxFeePerGas.toString(),
    },
  });
};
