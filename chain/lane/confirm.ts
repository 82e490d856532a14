import type { WaitingDetail } from '../../domain/payment.ts';
import type { ConfirmableSlot, DealIntent, QueuedIntent, Verdict } from '../../domain/ports/lane.ts';
import { contracts } from '../pure/contracts.ts';
import { isTombstone, matchesTerms, type DealWord } from '../pure/deal-state.ts';
import { roleIds } from '../pure/roles.ts';
import { decodeRevert, waitingDetailOf } from '../pure/revert-reason.ts';
import { quantity, readDealWords, views } from '../rpc/calls.ts';
import type { LaneRun, LaneState } from './context.ts';
import type { WireReceipt } from './observe.ts';

const isDeal = (intent: QueuedIntent): intent is DealIntent => intent.kind === 'deal';

/**
 * Closes the slots whose blocks have the network's confirmations. What became of an intent is told by its log, which the
 * store knows, or else by the deal's word; never by the receipt's status alone.
 */
export const confirm = async (run: LaneRun, state: LaneState): Promise<void> => {
  const { store, lease, network, rpc, batcher, signal } = run;
  const { confirmed } = state.watched;
  if (confirmed === null) return;
  if (!state.slots.some((slot) => slot.state === 'mined' && (slot.blockNumber ?? Infinity) <= confirmed.number)) return;
  // The watcher may have come further meanwhile; the words are read at this block, which does not know what is above it.
  const slots = (await store.confirmable(lease)).filter((slot) => slot.blockNumber <= confirmed.number);
  if (slots.length === 0) return;

  const open = slots.flatMap((slot) => slot.unresolved.filter(isDeal).map((intent) => ({ slot, intent })));
  const words = await readDealWords(
    { rpc, batcher, quorum: network.quorum, signal },
    open.map(({ intent }) => intent),
    // By its hash: an endpoint may have another block of that number.
    { blockHash: confirmed.hash },
  );
  // Endpoints that do not agree, or do not have the block yet, are asked again.
  const undecided = new Set(open.filter((_, index) => words[index] === undefined).map(({ slot }) => slot.slotId));
  const judged = open.flatMap(({ slot, intent }, index) => {
    const word = words[index];
    return word && !undecided.has(slot.slotId) ? [{ slot, intent, outcome: outcomeOf(intent, word) }] : [];
  });
  const reasons = await waitingReasons(
    run,
    state,
    slots.filter((slot) => judged.some((one) => one.slot === slot && one.outcome === 'no_effect')),
  );
  const verdicts: Verdict[] = judged.map(({ slot, intent, outcome }) => ({
    intentId: intent.id,
    outcome,
    waiting: outcome === 'no_effect' ? (reasons.get(slot.slotId)?.(intent) ?? null) : null,
  }));
  const decided = slots.filter((slot) => !undecided.has(slot.slotId)).map((slot) => slot.slotId);
  run.failpoint('runLane:before_confirm');
  await store.confirm(lease, decided, verdicts);
  run.failpoint('runLane:after_confirm');
};

const outcomeOf = (intent: DealIntent, word: DealWord): Verdict['outcome'] => {
  if (intent.purpose === 'cancel_deal') return word.status === 'cancelled' ? 'effective' : 'no_effect';
  if (word.status === 'none' || isTombstone(word)) return 'no_effect';
  return matchesTerms(word, intent.termsHash) ? 'effective' : 'conflict';
};

type Reason = (intent: DealIntent) => WaitingDetail | null;

/** Why transactions had no effect, as far as it was a waiting state, which uses up no retry. */
const waitingReasons = async (
  run: LaneRun,
  state: LaneState,
  slots: readonly ConfirmableSlot[],
): Promise<Map<string, Reason>> => {
  if (slots.length === 0) return new Map();
  const { outcomes } = await run.rpc.batch(
    slots.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
    { signal: run.signal },
  );
  const reasons = new Map<string, Reason>();
  for (const [index, slot] of slots.entries()) {
    const own = state.slots.find((candidate) => candidate.id === slot.slotId);
    if (own && !own.attempts.some((attempt) => attempt.txHash === slot.txHash)) {
      // A foreign transaction used the nonce: nothing of ours was tried.
      reasons.set(slot.slotId, () => 'lane_paused');
      continue;
    }
    const outcome = outcomes[index];
    const failed = failedParts(run.batcher, outcome?.ok ? (outcome.result as WireReceipt | null) : null);
    const whole = slot.receiptStatus === 0 ? await roleReason(run, slot.blockNumber) : null;
    reasons.set(slot.slotId, (intent) => failed.get(intent.diamond) ?? whole);
  }
  return reasons;
};

/** The parts of a batch that failed for a reason that passes, by diamond. */
const failedParts = (batcher: string, receipt: WireReceipt | null): Map<string, WaitingDetail> => {
  const parts = new Map<string, WaitingDetail>();
  for (const log of receipt?.logs ?? []) {
    if (log.address.toLowerCase() !== batcher) continue;
    const event = contracts.batcher.interface.parseLog({ topics: [...log.topics], data: log.data });
    if (event?.name !== 'BatchFailed') continue;
    const waiting = waitingDetailOf(decodeRevert(event.args['reason'] as string));
    if (waiting !== null) parts.set((event.args['diamond'] as string).toLowerCase(), waiting);
  }
  return parts;
};

/** A whole batch is refused when the key that sent it is no operator. */
const roleReason = async ({ rpc, registry, signer }: LaneRun, blockNumber: number): Promise<WaitingDetail | null> => {
  const { interface: abi } = contracts.registry;
  const call = { to: registry, interface: abi, name: 'roleState', args: [roleIds.operator, signer.address] };
  try {
    const [state] = (await views(rpc, [call], quantity(blockNumber))) as [[enabled: boolean] | undefined];
    return state?.[0] === false ? 'operator_revoked' : null;
  } catch {
    // The state of that block is gone: it counts as a try.
    return null;
  }
};
