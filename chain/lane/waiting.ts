import { getCreate2Address, keccak256 } from 'ethers';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { QueuedIntent } from '../../domain/ports/lane.ts';
import { groupBy } from '../../domain/tools/group-by.ts';
import { raiseAlert } from '../alert.ts';
import { codes } from '../rpc/calls.ts';
import type { LaneMemory, LaneRun } from './context.ts';
import type { Refusal } from './plan.ts';

/** An intent that has to wait, and why. */
interface Waiter {
  readonly intent: QueuedIntent;
  readonly waiting: WaitingDetail;
}

/** Milliseconds for which a diamond's deals, or one call, are left out after they failed for a reason of their own. */
const PARK_MS = 5_000;

/** Writes why intents wait, where that is news; it shows as `status_detail` of their payments. */
const tellWaiting = async ({ store, lease, memory }: LaneRun, waiters: readonly Waiter[]): Promise<void> => {
  const news = waiters.filter(({ intent, waiting }) => memory.told.get(intent.id) !== waiting);
  for (const [waiting, group] of groupBy(news, (waiter) => waiter.waiting)) {
    const ids = group.map(({ intent }) => intent.id);
    await store.recordWaiting(lease, ids, waiting);
    for (const id of ids) memory.told.set(id, waiting);
  }
};

/** All intents for one reason. */
export const tellAllWaiting = (run: LaneRun, intents: readonly QueuedIntent[], waiting: WaitingDetail): Promise<void> =>
  tellWaiting(
    run,
    intents.map((intent) => ({ intent, waiting })),
  );

/** What is parked together: all deals of a diamond, or one call. */
const parkKey = (intent: QueuedIntent): string => (intent.kind === 'deal' ? intent.diamond : intent.id);

/** True while an intent is left out because a simulation of its kind has just failed. */
export const isParked = (memory: LaneMemory, intent: QueuedIntent, now: number): boolean =>
  (memory.parked.get(parkKey(intent)) ?? 0) > now;

/** What waits says why; what failed for a reason of its own is parked, with an alert. */
export const handleRefusals = async (run: LaneRun, refusals: readonly Refusal[]): Promise<void> => {
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
    await raiseAlert(run, {
      key: `simulation_failed:${network.id}:${parkKey(intent)}:${reason.name}`,
      kind: 'simulation_failed',
      message: `A ${intent.purpose} on ${network.name} can not be sent: ${reason.text}`,
      data: intent.kind === 'deal' ? { diamond: intent.diamond } : { to: intent.to },
    });
  }
};

/** Facets that another account has deployed meanwhile; a second deployment would revert and burn its gas. */
const alreadyDeployed = async ({ rpc }: LaneRun, intents: readonly QueuedIntent[]): Promise<string[]> => {
  const facets = intents.flatMap((intent) => {
    if (intent.purpose !== 'deploy_facet') return [];
    const salt = intent.data.slice(0, 66);
    const codeHash = keccak256(`0x${intent.data.slice(66)}`);
    return [{ id: intent.id, address: getCreate2Address(intent.to, salt, codeHash) }];
  });
  if (facets.length === 0) return [];
  const found = await codes(
    rpc,
    facets.map(({ address }) => address),
  );
  return facets.filter((_, index) => found[index] !== '0x').map(({ id }) => id);
};
