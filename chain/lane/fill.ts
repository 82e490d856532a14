import { getCreate2Address, keccak256 } from 'ethers';
import type { QueuedIntent, Slot, SlotPlan } from '../../domain/lane.ts';
import { codes } from '../rpc/calls.ts';
import { isAboveCeiling, marketFees, type Fees } from './fees.ts';
import type { LaneRun, LaneState } from './context.ts';
import type { Unsigned } from './outgoing.ts';
import { dealsPerSlot, draftSlots, slotGasCap } from './plan.ts';
import { simulate, type Refusal } from './simulate.ts';
import { tellAllWaiting, tellWaiting } from './waiting.ts';

/** Intents read at once at most. */
const MAX_QUEUED = 5_000;
/** Milliseconds for which a diamond is left out after its deals failed for a reason of its own. */
const PARK_MS = 5_000;

export interface Filling {
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
  const ready = queued.filter((intent) => (memory.parked.get(parkKey(intent)) ?? 0) <= now);
  const inflight = state.slots.filter((slot) => slot.state !== 'mined').length;
  const room = account.maxInflight - inflight;
  const cap = slotGasCap(view.blockGasLimit, account.maxInflight);
  if (room <= 0 || ready.length === 0) return { unsigned: [], more: ready.length > 0 };
  // Slots are few: while some are under way, small ones wait a moment for company.
  const pause = Math.min((network.blockTimeMs * 2) / account.maxInflight, network.blockTimeMs / 4);
  if (inflight > 0 && ready.length < dealsPerSlot(cap) && now - memory.lastFillAt < pause) {
    return { unsigned: [], more: true };
  }

  const { plans, refusals } = await simulate(run, draftSlots(ready, room, cap));
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
export const queueLimit = ({ memory }: LaneRun, { account, view, slots }: LaneState): number => {
  const room = Math.max(1, account.maxInflight - slots.filter((slot) => slot.state !== 'mined').length);
  const perSlot = dealsPerSlot(slotGasCap(view.blockGasLimit, account.maxInflight));
  // Those that are left out must not hide the others behind them.
  return Math.min(room * perSlot, MAX_QUEUED) + (memory.parked.size > 0 ? MAX_QUEUED : 0);
};

const parkKey = (intent: QueuedIntent): string => (intent.kind === 'deal' ? intent.diamond : intent.id);

/** What waits says why; what failed for a reason of its own is left out for a while, with an alert. */
const handleRefusals = async (run: LaneRun, refusals: readonly Refusal[]): Promise<void> => {
  const { store, lease, memory, network } = run;
  for (const [key, until] of memory.parked) if (until <= Date.now()) memory.parked.delete(key);
  await tellWaiting(
    run,
    refusals.map(({ intent, waiting }) => ({ intent, waiting: waiting ?? 'diamond_missing' })),
  );
  const own = refusals.filter(({ waiting }) => waiting === null || waiting === 'diamond_missing');
  const done = await alreadyDeployed(
    run,
    own.map(({ intent }) => intent),
  );
  if (done.length > 0) await store.satisfied(lease, done);
  for (const { intent, reason } of own) {
    if (done.includes(intent.id) || memory.parked.has(parkKey(intent))) continue;
    memory.parked.set(parkKey(intent), Date.now() + PARK_MS);
    await store.alert(lease, {
      key: `simulation_failed:${network.id}:${parkKey(intent)}:${reason.name}`,
      kind: 'simulation_failed',
      message: `A ${intent.purpose} on ${network.name} can not be sent: ${reason.text}`,
      data: intent.kind === 'deal' ? { diamond: intent.diamond } : { to: intent.to },
    });
  }
};

/** Facets that somebody else has deployed meanwhile; a second deployment would revert and burn its gas. */
const alreadyDeployed = async ({ rpc }: LaneRun, intents: readonly QueuedIntent[]): Promise<string[]> => {
  const facets = intents.flatMap((intent) =>
    intent.purpose === 'deploy_facet'
      ? [
          {
            id: intent.id,
            address: getCreate2Address(intent.to, intent.data.slice(0, 66), keccak256(`0x${intent.data.slice(66)}`)),
          },
        ]
      : [],
  );
  if (facets.length === 0) return [];
  const found = await codes(
    rpc,
    facets.map(({ address }) => address),
  );
  return facets.filter((_, index) => found[index] !== '0x').map(({ id }) => id);
};

const costOf = (gasLimit: bigint, maxFeePerGas: bigint): bigint => gasLimit * maxFeePerGas;

/** Those plans, from the first on, that the account can pay for beside everything under way. */
const checkFunds = async (
  run: LaneRun,
  { slots, view }: LaneState,
  plans: readonly SlotPlan[],
  { maxFeePerGas }: Fees,
): Promise<SlotPlan[]> => {
  let left = slots.reduce((funds, slot: Slot) => {
    if (slot.state === 'mined') return funds;
    return funds - costOf(slot.gasLimit, slot.attempts.at(-1)?.maxFeePerGas ?? maxFeePerGas);
  }, view.balance);
  const affordable: SlotPlan[] = [];
  for (const plan of plans) {
    left -= costOf(plan.gasLimit, maxFeePerGas);
    if (left < 0n) break;
    affordable.push(plan);
  }
  const unaffordable = plans.slice(affordable.length).flatMap((plan) => plan.intents);
  if (unaffordable.length > 0) {
    await tellAllWaiting(run, unaffordable, 'operator_underfunded');
    await run.store.alert(run.lease, {
      // Once an hour, as long as it lasts.
      key: `underfunded:${run.lease.id}:${new Date().toISOString().slice(0, 13)}`,
      kind: 'operator_underfunded',
      message: `The account ${run.signer.address} on ${run.network.name} can not pay for its transactions`,
      data: { address: run.signer.address, balance: view.balance.toString() },
    });
  }
  return affordable;
};
