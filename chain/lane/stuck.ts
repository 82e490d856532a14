import { formatEther } from 'ethers';
import { firstReason } from '../../domain/alerts/waiting.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { Slot } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import type { LaneRun } from './context.ts';
import type { LaneMemory } from './memory.ts';
import { alertSlot } from './send.ts';
import { pendingOf, type ChainView, type PendingState, type OpenTransaction, type WorkState } from './state.ts';

/** The slots of which something is known beside their states. */
interface Sets extends Pick<UnderWay, 'tooDear'> {
  readonly refused: ReadonlySet<string>;
}

type Condition = (transaction: OpenTransaction<PendingState>, sets: Sets) => boolean;

/** Why a signed transaction cannot be mined now, in the order of `reasonOrder`. An alert tells the operator each of them. */
const conditions: readonly (readonly [WaitingDetail, Condition])[] = [
  ['fees_above_ceiling', ({ slot }, { tooDear }) => tooDear.has(slot.id)],
  ['operator_underfunded', ({ state }) => state.last.lastError === 'insufficient_funds'],
  ['endpoint_refuses', ({ slot }, { refused }) => refused.has(slot.id)],
];

/** The slots of a tick, and those whose fees cannot be raised although they are below the base fee. */
interface UnderWay {
  readonly state: WorkState;
  readonly tooDear: ReadonlySet<string>;
}

/** Slots that wait for a reason. Fees that swing around the ceiling do not end it with every block. */
const stuckSlots = ({ memory, timing }: LaneRun, { state, tooDear }: UnderWay): LaneMemory['transactions']['stuck'] => {
  const now = steadyClock.now();
  const { refused } = memory.transactions;
  for (const id of refused) if (!state.slots.some((slot) => slot.id === id)) refused.delete(id);
  const stuck: LaneMemory['transactions']['stuck'] = new Map();
  for (const transaction of pendingOf(state.transactions)) {
    const { slot } = transaction;
    const reason = firstReason(
      conditions.filter(([, holds]) => holds(transaction, { tooDear, refused })).map(([detail]) => detail),
    );
    const before = memory.transactions.stuck.get(slot.id);
    if (reason !== null) stuck.set(slot.id, { reason, at: now });
    else if (before !== undefined && now - before.at < timing.foreign) stuck.set(slot.id, before);
  }
  return stuck;
};

/**
 * Shows on the payments and steps of signed slots why their transaction waits, and removes reasons that no longer hold. While a
 * reason lasts, it is written repeatedly: an earlier one of `reasonOrder` may have stood there.
 * @param underWay null while nothing is
 */
export const showStuck = async (run: LaneRun, underWay: UnderWay | null): Promise<void> => {
  const { memory, store, lease, timing } = run;
  memory.transactions.stuck = underWay === null ? new Map() : stuckSlots(run, underWay);
  const told = [...memory.transactions.stuck].map(([id, { reason }]) => `${id} ${reason}`).join();
  const isNews = told !== memory.shown.stuck.what;
  if (!isNews && (told === '' || steadyClock.now() - memory.shown.stuck.at < timing.foreign)) return;
  // In their order: an earlier reason takes the place of a later one, and has left its own before the later one is written.
  for (const [reason] of conditions) {
    const ids = [...memory.transactions.stuck].filter(([, one]) => one.reason === reason).map(([id]) => id);
    await store.showOnSlots(lease, reason, ids);
  }
  memory.shown.stuck.what = told;
  memory.shown.stuck.at = steadyClock.now();
};

/**
 * Raises an alert when endpoints accept the oldest transaction for a long time, and neither a pool nor a block shows it.
 * Chains without a public pool show it in a block.
 * @param head the oldest slot, after that time; else null
 */
export const raiseDropped = async (run: LaneRun, head: Slot | null): Promise<void> => {
  if (head === null) return;
  const { memory, rpc, signal } = run;
  // An endpoint may not count its pool. It is asked again after the same time.
  memory.transactions.unseen = null;
  const requests = head.attempts.map(({ txHash }) => ({ method: 'eth_getTransactionByHash', params: [txHash] }));
  const responses = await rpc.everyone(requests, { signal });
  const shown = responses.flatMap(({ outcomes }) => outcomes.flatMap((own) => (own.ok ? [own.result] : [])));
  if (shown.some((transaction) => transaction !== null)) memory.transactions.shown.set(head.id, steadyClock.now());
  else if (shown.length > 0)
    await alertSlot(run, head, 'kept', 'it accepts the transaction, but neither its pool nor a block shows it');
};

/**
 * Raises an alert when no block takes the oldest transaction for a long time, although endpoints accept it and its fee suffices. It names
 * the likely cause: a chain that takes a fee beside the gas does not mine what the account cannot pay for, and its pool may accept that.
 * @param head the oldest slot, after that time; else null
 */
export const raiseUnmined = async (run: LaneRun, head: Slot | null, { balance }: ChainView): Promise<void> => {
  if (head === null) return;
  const { memory, signer } = run;
  memory.transactions.unmined = null;
  const { dataFee } = memory.fees;
  const isCharging = dataFee !== 'none' && dataFee > 0n;
  const cause = isCharging
    ? `the chain takes fees beside the gas, and the balance of ${signer.address}, ${formatEther(balance)}, may lack funds for them`
    : 'blocks are full of transactions with higher tips, the endpoints do not pass it on, or its balance lacks funds for a fee beside the gas';
  await alertSlot(
    run,
    head,
    'kept',
    `it accepts the transaction, but no block takes it although its fee suffices; likely, ${cause}`,
  );
};
