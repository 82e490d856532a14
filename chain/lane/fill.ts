import type { QueuedIntent } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import type { LaneRun } from './context.ts';
import { isAboveCeiling, marketFees, type FeeMarket } from '../signing/fees.ts';
import { alertAboveCeiling, type Unsigned } from './replacement.ts';
import { checkFunds, holdsForMost } from './funds.ts';
import { dealsPerSlot, slotGasCap } from './planning/gas.ts';
import { planSlots, type RefusedIntent } from './planning/plan.ts';
import { requireWorking } from './planning/second-opinion.ts';
import { chooseBatcher } from './batcher.ts';
import type { LaneState } from './state.ts';
import { isAllUnknown } from './nonces/unknown-outcomes.ts';
import { handleRefusals, holdCreates, unpark, setAside, recordAllWaiting } from './waiting.ts';

/** Most intents that are read at once. */
const MAX_QUEUED = 5_000;

/** The result of filling slots from the queue. */
interface Filling {
  readonly unsigned: readonly Unsigned[];
  /** True when more is queued than fits, or it is too early for the next slot. */
  readonly more: boolean;
  /**
   * Deals that failed together with others of their diamond. The lane searches for the failing ones after it has sent
   * everything else.
   */
  readonly suspected: readonly RefusedIntent[];
}

const nothing: Filling = { unsigned: [], more: false, suspected: [] };

/**
 * Assigns slots to queued intents. Every slot is encoded, simulated, estimated and funded before it takes a nonce.
 * Intents that cannot be sent now stay queued with their reason.
 */
export const fill = async (run: LaneRun, state: LaneState, queued: readonly QueuedIntent[]): Promise<Filling> => {
  const { network, memory } = run;
  const { account, view } = state;
  if (queued.length === 0 || (await isClosed(run, state, queued))) return nothing;
  const now = steadyClock.now();
  const ready = await setAside(run, await holdCreates(run, queued), now);
  const inflight = state.slots.length;
  const room = account.maxInflight - inflight;
  if (room <= 0 && isAllUnknown(run, state.slots)) await recordAllWaiting(run, ready, 'outcome_unknown');
  if (room <= 0 || ready.length === 0) return { ...nothing, more: ready.length > 0 };
  // Slots are scarce: while some are in flight, a small one waits a moment for more intents.
  const pause = Math.min((network.blockTimeMs * 2) / account.maxInflight, network.blockTimeMs / 4);
  if (inflight > 0 && ready.length < dealsIn(run, account) && now - memory.queue.lastFillAt < pause) {
    return { ...nothing, more: true };
  }

  const { affordable, fees, suspected } = await planFilling(run, state, ready, room);
  if (affordable.length === 0) return { ...nothing, suspected };
  memory.queue.lastFillAt = now;
  run.failpoint('runLane:before_assign');
  const slots = await run.store.assign(run.lease, view.nonce, affordable);
  run.failpoint('runLane:after_assign');
  for (const plan of affordable) for (const intent of plan.intents) memory.shown.waiting.delete(intent.id);
  const more = queued.length >= queueLimit(run, state);
  return { unsigned: slots.map((slot) => ({ slot, fees })), more, suspected };
};

/** True while the lane assigns no slot at all; all queued intents then show the reason. */
const isClosed = async (
  run: LaneRun,
  { account, view }: LaneState,
  queued: readonly QueuedIntent[],
): Promise<boolean> => {
  if (account.status === 'paused') {
    await recordAllWaiting(run, queued, 'lane_paused');
    return true;
  }
  if (!isAboveCeiling(view, run.network.maxFeePerGas)) return false;
  run.turn.askAnother();
  const isAbove = (market: FeeMarket): boolean => isAboveCeiling(market, run.network.maxFeePerGas);
  if (!(await holdsForMost(run, 1, isAbove))) return true;
  await recordAllWaiting(run, queued, 'fees_above_ceiling');
  await alertAboveCeiling(run, view);
  return true;
};

/** Plans slots as far as the account can pay for them, and parks intents whose own simulation failed. */
const planFilling = async (run: LaneRun, state: LaneState, ready: readonly QueuedIntent[], room: number) => {
  await chooseBatcher(run);
  const { plans, refusals } = await planTwice(run, ready, room, state.account.maxInflight);
  const suspected = refusals.filter(({ suspects }) => suspects.length > 1);
  await handleRefusals(
    run,
    refusals.filter(({ suspects }) => suspects.length <= 1),
  );
  unpark(run.memory.queue, plans);
  const fees = marketFees(state.view, run.network.maxFeePerGas);
  const refused = new Set(refusals.map(({ intent }) => intent.id));
  const wanted = { plans, ready: ready.filter(({ id }) => !refused.has(id)) };
  const affordable = await checkFunds(run, state, wanted, fees);
  await requireWorking(run, affordable);
  return { affordable, fees, suspected };
};

/** Plans again with another endpoint before a refusal counts. Intents that only one of both refuses wait for the next tick. */
const planTwice = async (...[run, ...wanted]: Parameters<typeof planSlots>): ReturnType<typeof planSlots> => {
  const first = await planSlots(run, ...wanted);
  if (first.refusals.length === 0 || run.rpc.preferred().length < 2) return first;
  run.turn.askAnother();
  const second = await planSlots(run, ...wanted);
  const isRefused = ({ intent }: RefusedIntent): boolean =>
    first.refusals.some((other) => other.intent.id === intent.id);
  return { plans: second.plans, refusals: second.refusals.filter(isRefused) };
};

/** Most intents that a tick can use. */
export const queueLimit = (run: LaneRun, { account, slots }: LaneState): number => {
  const room = Math.max(1, account.maxInflight - slots.length);
  return Math.min(room * dealsIn(run, account), MAX_QUEUED);
};

/** How many deals of one diamond fit into a slot. */
const dealsIn = ({ memory: { gas } }: LaneRun, { maxInflight }: LaneState['account']): number =>
  dealsPerSlot(slotGasCap(gas.measure, maxInflight), gas.measure);
