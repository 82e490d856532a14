import type { QueuedIntent, SlotPlan } from '../../domain/ports/lane.ts';
import { raiseAlert } from '../alert.ts';
import type { LaneRun, LaneState } from './context.ts';
import { isAboveCeiling, marketFees, type Fees, type Unsigned } from './fees.ts';
import { dealsPerSlot, planSlots, slotGasCap } from './plan.ts';
import { handleRefusals, isParked, tellAllWaiting } from './waiting.ts';

/** Intents read at once at most. */
const MAX_QUEUED = 5_000;

/** What became of the queue. */
interface Filling {
  readonly unsigned: readonly Unsigned[];
  /** More was queued than there was room for, or it is too early for the next slot. */
  readonly more: boolean;
}

const nothing: Filling = { unsigned: [], more: false };

/**
 * Gives queued intents their slots: everything is encoded, simulated, estimated and paid for before a nonce is taken.
 * What can not be sent now stays queued and says why.
 */
export const fill = async (run: LaneRun, state: LaneState, queued: readonly QueuedIntent[]): Promise<Filling> => {
  const { network, memory } = run;
  const { account, view } = state;
  if (queued.length === 0) return nothing;
  if (account.status === 'paused') {
    await tellAllWaiting(run, queued, 'lane_paused');
    return nothing;
  }
  if (isAboveCeiling(view, network.maxFeePerGas)) {
    await tellAllWaiting(run, queued, 'fees_above_ceiling');
    return nothing;
  }
  const now = Date.now();
  const ready = queued.filter((intent) => !isParked(memory, intent, now));
  const inflight = state.slots.length;
  const room = account.maxInflight - inflight;
  const cap = slotGasCap(view.blockGasLimit, account.maxInflight);
  if (room <= 0 || ready.length === 0) return { unsigned: [], more: ready.length > 0 };
  // Slots are few: while some are under way, small ones wait a moment for company.
  const pause = Math.min((network.blockTimeMs * 2) / account.maxInflight, network.blockTimeMs / 4);
  if (inflight > 0 && ready.length < dealsPerSlot(cap) && now - memory.lastFillAt < pause) {
    return { unsigned: [], more: true };
  }

  const { plans, refusals } = await planSlots(run, ready, room, cap);
  await handleRefusals(run, refusals);
  const fees = marketFees(view, network.maxFeePerGas);
  const affordable = await checkFunds(run, state, plans, fees);
  if (affordable.length === 0) return nothing;
  memory.lastFillAt = now;
  run.failpoint('runLane:before_assign');
  const slots = await run.store.assign(run.lease, view.nonce, affordable);
  run.failpoint('runLane:after_assign');
  for (const plan of affordable) for (const intent of plan.intents) memory.told.delete(intent.id);
  return { unsigned: slots.map((slot) => ({ slot, fees })), more: queued.length >= queueLimit(run, state) };
};

/** How many intents are worth reading. */
export const queueLimit = ({ memory }: LaneRun, state: LaneState): number => {
  const { account, view } = state;
  const room = Math.max(1, account.maxInflight - state.slots.length);
  const perSlot = dealsPerSlot(slotGasCap(view.blockGasLimit, account.maxInflight));
  // Those that are parked must not hide the others behind them.
  return Math.min(room * perSlot, MAX_QUEUED) + (memory.parked.size > 0 ? MAX_QUEUED : 0);
};

const costOf = (gasLimit: bigint, maxFeePerGas: bigint): bigint => gasLimit * maxFeePerGas;

/** Those plans, from the first on, that the account can pay for beside everything under way. */
const checkFunds = async (
  run: LaneRun,
  { slots, view }: LaneState,
  plans: readonly SlotPlan[],
  { maxFeePerGas }: Fees,
): Promise<SlotPlan[]> => {
  let left = slots.reduce(
    (funds, slot) => funds - costOf(slot.gasLimit, slot.attempts.at(-1)?.maxFeePerGas ?? maxFeePerGas),
    view.balance,
  );
  const affordable: SlotPlan[] = [];
  for (const plan of plans) {
    left -= costOf(plan.gasLimit, maxFeePerGas);
    if (left < 0n) break;
    affordable.push(plan);
  }
  const unaffordable = plans.slice(affordable.length).flatMap((plan) => plan.intents);
  if (unaffordable.length > 0) {
    await tellAllWaiting(run, unaffordable, 'operator_underfunded');
    await raiseAlert(run, {
      // Once an hour, as long as it lasts.
      key: `underfunded:${run.lease.id}:${new Date().toISOString().slice(0, 13)}`,
      kind: 'operator_underfunded',
      message: `The account ${run.signer.address} on ${run.network.name} can not pay for its transactions`,
      data: { address: run.signer.address, balance: view.balance.toString() },
    });
  }
  return affordable;
};
