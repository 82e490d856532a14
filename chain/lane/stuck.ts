import type { WaitingDetail } from '../../domain/payment.ts';
import type { Slot } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import type { LaneMemory, LaneRun, LaneState } from './context.ts';
import { isMissing } from './replacement.ts';
import { alertSlot } from './send.ts';

type Condition = (slot: Slot, tooDear: ReadonlySet<string>) => boolean;

/** Why a signed transaction cannot be mined now; the first one counts. An alert tells the operator each of them. */
const conditions: readonly (readonly [WaitingDetail, Condition])[] = [
  ['fees_above_ceiling', ({ id }, tooDear) => tooDear.has(id)],
  ['operator_underfunded', ({ attempts }) => attempts.at(-1)?.lastError === 'insufficient_funds'],
];

/** The slots of a tick, and those whose fees cannot be raised although they are below the base fee. */
interface UnderWay {
  readonly state: LaneState;
  readonly tooDear: ReadonlySet<string>;
}

/** Slots that wait for a reason. Fees that swing around the ceiling do not end it with every block. */
const stuckSlots = ({ memory, timing }: LaneRun, { state, tooDear }: UnderWay): LaneMemory['stuck'] => {
  const now = steadyClock.now();
  const stuck: LaneMemory['stuck'] = new Map();
  for (const slot of state.slots) {
    if (slot.state !== 'signed' || slot.nonce < state.view.nonce) continue;
    const [reason] = conditions.find(([, holds]) => holds(slot, tooDear)) ?? [];
    const before = memory.stuck.get(slot.id);
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
  memory.stuck = underWay === null ? new Map() : stuckSlots(run, underWay);
  const told = [...memory.stuck].map(([id, { reason }]) => `${id} ${reason}`).join();
  const isNews = told !== memory.stuckTold;
  if (!isNews && (told === '' || steadyClock.now() - memory.stuckToldAt < timing.foreign)) return;
  const show = async (): Promise<void> => {
    for (const [reason] of conditions) {
      const ids = [...memory.stuck].filter(([, one]) => one.reason === reason).map(([id]) => id);
      await store.showOnSlots(lease, reason, ids);
    }
  };
  await show();
  // Where one reason follows another, the first pass may only have removed the former.
  if (isNews && told !== '') await show();
  memory.stuckTold = told;
  memory.stuckToldAt = steadyClock.now();
};

/** True when no endpoint has rejected a slot's transaction, its fee suffices, and the pool of this view is not known to have it. */
const mayBeDropped = (slot: Slot, view: LaneState['view']): boolean =>
  slot.attempts.some(({ lastSentAt }) => lastSentAt !== null) &&
  slot.attempts.every(({ lastError }) => lastError === null) &&
  slot.attempts.at(-1)!.maxFeePerGas >= view.baseFee &&
  (view.pendingNonce === null || isMissing({ view }, slot));

/**
 * Raises an alert when endpoints accept the oldest transaction for a long time, and neither a pool nor a block shows it.
 * Chains without a public pool show it in a block.
 */
export const tellDropped = async (run: LaneRun, { view, slots }: LaneState): Promise<void> => {
  const { memory, rpc, signal, timing } = run;
  const head = slots.find(({ nonce, state }) => state === 'signed' && nonce === view.nonce);
  if (head === undefined || !mayBeDropped(head, view)) return void (memory.missing = null);
  const { at, block } =
    memory.missing?.slotId === head.id ? memory.missing : { at: steadyClock.now(), block: view.tip };
  memory.missing = { slotId: head.id, at, block: Math.min(block, view.tip) };
  if (steadyClock.now() - at < timing.unreachable || view.tip - block < timing.bumpBlocks) return;
  // An endpoint may not count its pool. It is asked again after the same time.
  memory.missing = null;
  const requests = head.attempts.map(({ txHash }) => ({ method: 'eth_getTransactionByHash', params: [txHash] }));
  const responses = await rpc.everyone(requests, { signal });
  const shown = responses.flatMap(({ outcomes }) => outcomes.flatMap((own) => (own.ok ? [own.result] : [])));
  if (shown.length === 0 || shown.some((transaction) => transaction !== null)) return;
  await alertSlot(run, head, 'kept', 'it accepts the transaction, but neither its pool nor a block shows it');
};
