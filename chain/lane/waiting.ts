import { getCreate2Address, keccak256 } from 'ethers';
import { firstReason } from '../../domain/alerts/waiting.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { Aside, QueuedIntent, SlotPlan } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { raiseAlert } from '../alert.ts';
import { codeRequest, textOf } from '../rpc/calls.ts';
import type { LaneRun } from './context.ts';
import type { LaneMemory } from './memory.ts';
import type { RefusedIntent } from './planning/plan.ts';
import { roleMissing } from './role.ts';

/** An intent that must wait, and the reason. */
interface Waiter {
  readonly intent: QueuedIntent;
  readonly waiting: WaitingDetail;
}

/** Milliseconds for which a diamond's deals, or one call, are parked after their simulation failed. */
const PARK_MS = 5_000;

/** True for a create whose diamond is being cut. */
const isHeld = (intent: QueuedIntent): boolean => intent.kind === 'deal' && intent.isHeld;

/** Records why intents wait, if that has changed; it is the `status_detail` of their payments. */
const recordWaiting = async ({ store, lease, memory }: LaneRun, waiters: readonly Waiter[]): Promise<void> => {
  const { waiting: shown } = memory.shown;
  const first = waiters.map(({ intent, waiting }) => ({
    id: intent.id,
    reason: firstReason([waiting, isHeld(intent) ? 'diamond_updating' : null]) ?? waiting,
  }));
  const news = first.filter(({ id, reason }) => shown.get(id) !== reason);
  for (const [reason, group] of Map.groupBy(news, (one) => one.reason)) {
    const ids = group.map(({ id }) => id);
    await store.recordWaiting(lease, ids, reason);
    // The queue omits intents that are held, and the end of the cut clears their reason.
    for (const id of ids)
      if (reason === 'diamond_updating') shown.delete(id);
      else shown.set(id, reason);
  }
};

/** Records one reason for all these intents. */
export const recordAllWaiting = (
  run: LaneRun,
  intents: readonly QueuedIntent[],
  waiting: WaitingDetail,
): Promise<void> =>
  recordWaiting(
    run,
    intents.map((intent) => ({ intent, waiting })),
  );

/** Most deals of one diamond that are parked one by one; with more, the diamond is at fault. */
const MOST_SINGLE = 4;

/** The key of parked intents: the diamond of deals, or one call. A deal found at fault is parked by its own id. */
const parkKey = (intent: QueuedIntent): string => (intent.kind === 'deal' ? intent.diamond : intent.id);

/**
 * Sets aside creates whose diamond is being cut. Its other intents go on, and so do creates that have a slot.
 * @returns the remaining intents
 */
export const holdCreates = async (run: LaneRun, queued: readonly QueuedIntent[]): Promise<readonly QueuedIntent[]> => {
  const held = queued.filter(isHeld);
  if (held.length === 0) return queued;
  await recordAllWaiting(run, held, 'diamond_updating');
  return queued.filter((intent) => !isHeld(intent));
};

/** Parked intents, which need not be read from the queue, except the probes. */
export const asideOf = ({ parked }: LaneMemory['queue']): Aside => ({
  diamonds: [...parked.keys()],
  probes: [...parked.values()].map(({ probe }) => probe),
});

/**
 * Sets aside parked intents. After some time their probe is simulated, and the others follow once it works.
 * @returns the remaining intents
 */
export const setAside = async (
  run: LaneRun,
  queued: readonly QueuedIntent[],
  now: number,
): Promise<readonly QueuedIntent[]> => {
  const { parked } = run.memory.queue;
  const ids = new Set(queued.map(({ id }) => id));
  // A probe that left the queue proves nothing, so the next intent of its key replaces it.
  for (const [key, { probe }] of parked) if (!ids.has(probe)) parked.delete(key);
  const isReady = (intent: QueuedIntent): boolean =>
    [parked.get(parkKey(intent)), parked.get(intent.id)].every(
      (own) => own === undefined || (own.probe === intent.id && own.until <= now),
    );
  const aside = queued.filter((intent) => !isReady(intent));
  await recordAllWaiting(run, aside, 'simulation_failed');
  return aside.length === 0 ? queued : queued.filter(isReady);
};

/** Ends the parking of intents that are in a plan, because they work again. */
export const unpark = ({ parked }: LaneMemory['queue'], plans: readonly SlotPlan[]): void => {
  if (parked.size === 0) return;
  for (const plan of plans)
    for (const intent of plan.intents) for (const key of [parkKey(intent), intent.id]) parked.delete(key);
};

/** Records why refused intents wait. Those whose own simulation failed are parked, with an alert. */
export const handleRefusals = async (run: LaneRun, refusals: readonly RefusedIntent[]): Promise<void> => {
  const { store, lease, memory, network } = run;
  await recordWaiting(
    run,
    refusals.map(({ intent, waiting }) => ({ intent, waiting: waiting ?? 'simulation_failed' })),
  );
  if (refusals.some(({ waiting }) => waiting === 'operator_revoked')) {
    await raiseAlert(
      run,
      roleMissing({ id: lease.id, role: run.role, address: run.signer.address, network: network.name }),
    );
  }
  const own = refusals.filter(({ waiting }) => waiting === null || waiting === 'diamond_missing');
  const done = await alreadyDeployed(
    run,
    own.map(({ intent }) => intent),
  );
  if (done.length > 0) await store.satisfied(lease, done);
  const until = steadyClock.now() + PARK_MS;
  for (const { intent, reason, suspects } of own) {
    const key = keyOf(run, intent, suspects);
    if (done.includes(intent.id) || memory.queue.parked.get(key)?.until === until) continue;
    memory.queue.parked.set(key, { until, probe: intent.id, diamond: intent.kind === 'deal' ? intent.diamond : null });
    await raiseAlert(run, {
      kind: 'simulation_failed',
      subject: lease.id,
      cause: key,
      message: `A ${intent.purpose} on ${network.name} cannot be sent: ${reason.text}`,
      ...(intent.kind === 'deal'
        ? { diamond: intent.diamond, data: { diamond: intent.diamond } }
        : { data: { to: intent.to } }),
    });
  }
};

/** A single deal at fault is parked alone, unless too many of its diamond are. */
const keyOf = ({ memory }: LaneRun, intent: QueuedIntent, suspects: RefusedIntent['suspects']): string => {
  if (intent.kind === 'call' || !suspects.some(({ id }) => id === intent.id)) return parkKey(intent);
  const singles = [...memory.queue.parked].filter(
    ([key, { diamond, probe }]) => diamond === intent.diamond && key === probe && key !== intent.id,
  );
  return singles.length < MOST_SINGLE ? intent.id : parkKey(intent);
};

/** Facets that another account has deployed, by the quorum. A second deployment would revert and burn its gas. */
const alreadyDeployed = async (
  { rpc, network, signal }: LaneRun,
  intents: readonly QueuedIntent[],
): Promise<string[]> => {
  const facets = intents.flatMap((intent) => {
    if (intent.purpose !== 'deploy_facet') return [];
    const salt = intent.data.slice(0, 66);
    const codeHash = keccak256(`0x${intent.data.slice(66)}`);
    return [{ id: intent.id, address: getCreate2Address(intent.to, salt, codeHash) }];
  });
  if (facets.length === 0) return [];
  const requests = facets.map(({ address }) => codeRequest(address));
  const found = await rpc.agree(requests, network.quorum, (outcomes) => outcomes.map(textOf), signal);
  return facets.filter((_, index) => (found[index] ?? '0x') !== '0x').map(({ id }) => id);
};
