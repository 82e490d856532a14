import { Transaction } from 'ethers';
import type { CauseOf } from '../../domain/alerts/condition.ts';
import type { Attempt, NewAttempt, Slot } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { raiseAlert } from '../alert.ts';
import { troubleAlert } from '../network-trouble.ts';
import { RpcError } from '../rpc/error.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import { classifySend, notForFees, type SendClass } from '../rpc/send-errors.ts';
import { namedFees, namedLimit, namedNeed } from '../rpc/words/amounts.ts';
import type { LaneRun } from './context.ts';
import { marketFees, max } from '../signing/fees.ts';
import { alertUnderfunded, costUnderWay } from './funds.ts';
import type { Unsigned } from './replacement.ts';
import type { Rejection } from './memory.ts';
import { bytesOf } from './planning/drafts.ts';
import { pendingOf, type LaneState, type OpenTransaction } from './state.ts';

/** Signed bytes that are stored and may be sent. */
interface Outgoing {
  readonly slot: Slot;
  readonly attempt: Pick<Attempt, 'seq' | 'raw'>;
}

/** Signs slots and commits the bytes; from here on they are "possibly sent". */
export const signAttempts = async (run: LaneRun, unsigned: readonly Unsigned[]): Promise<Outgoing[]> => {
  if (unsigned.length === 0) return [];
  const signed: { slot: Slot; attempt: NewAttempt }[] = [];
  for (const { slot, fees, call, gasLimit = slot.gasLimit } of unsigned) {
    const { raw, hash } = await run.signer.sign({
      eip155: run.network.eip155,
      nonce: slot.nonce,
      to: call?.to ?? slot.to,
      data: call?.data ?? slot.data,
      value: slot.value,
      gasLimit,
      ...fees,
    });
    const seq = (slot.attempts.at(-1)?.seq ?? 0) + 1;
    signed.push({ slot, attempt: { slotId: slot.id, call, seq, txHash: hash.toLowerCase(), raw, gasLimit, ...fees } });
  }
  run.failpoint('runLane:before_save');
  await run.store.saveAttempts(
    run.lease,
    signed.map(({ attempt }) => attempt),
  );
  return signed;
};

/** The resource of which a rejected transaction has too little, or too much. */
const lacks: Partial<Record<SendClass, Rejection['lacks']>> = {
  replacement_underpriced: 'fee',
  fee_below_base_fee: 'fee',
  underpriced: 'fee',
  gas_too_low: 'gas',
  exceeds_block_gas_limit: 'size',
  too_much_data: 'size',
  // It limits the gas at these fees.
  fee_cap: 'size',
};

const tipOf = ({ raw }: Outgoing['attempt']): bigint => Transaction.from(raw).maxPriorityFeePerGas ?? 0n;

/** What the lane remembers of a rejection: the reason, what the endpoints name, and how often an attempt was rejected for it. */
const rejectionOf = (
  before: Rejection | undefined,
  { raw, seq }: Outgoing['attempt'],
  as: SendClass,
  { kind, message }: RpcError,
  patienceMs: number,
): Rejection => {
  const { gasLimit } = Transaction.from(raw);
  const isOfData = as === 'too_much_data';
  const now = steadyClock.now();
  const since = before?.since ?? now;
  // Words that nobody understands, for long, may be about the size.
  const isOfSize = as === 'possibly_sent' && kind === 'rejected' && now - since >= patienceMs;
  return {
    as,
    since,
    lacks: isOfSize ? 'size' : (lacks[as] ?? null),
    seq,
    tries: before?.as === as ? before.tries + Number(before.seq !== seq) : 1,
    words: message,
    fees: namedFees(message, gasLimit),
    gas: namedNeed(message, gasLimit),
    limit: isOfData ? namedLimit(message, bytesOf(raw), 256n) : namedLimit(message, gasLimit, 21_000n),
  };
};

/** Remembers the outcome of one send. Returns its class, and the tip that endpoints had demanded of it. */
const noteOutcome = (
  { memory, timing, network, log }: LaneRun,
  { slot, attempt }: Outgoing,
  outcome: RpcOutcome | undefined,
): { readonly sendClass: SendClass; readonly taken: boolean; readonly demanded: bigint } => {
  const { rejected, shown, refused } = memory.transactions;
  const sendClass = outcome === undefined ? 'possibly_sent' : classifySend(outcome);
  const taken = sendClass === 'sent' || sendClass === 'known';
  const before = rejected.get(slot.id);
  // What it knows already it has, whatever its count of the pool says.
  const wasSent = slot.attempts.some(({ seq, sends }) => seq === attempt.seq && sends > 0);
  if (sendClass === 'known' && wasSent) shown.set(slot.id, steadyClock.now());
  else if (!taken) shown.delete(slot.id);
  if (taken) {
    if (rejected.delete(slot.id)) refused.delete(slot.id);
  } else if (outcome?.ok === false) {
    const { message: error } = outcome.error;
    rejected.set(slot.id, rejectionOf(before, attempt, sendClass, outcome.error, timing.unreachable));
    const told = { network: network.name, nonce: slot.nonce, verdict: sendClass, error };
    if (before?.as !== sendClass) log.warn('A transaction was not accepted', told);
  }
  return { sendClass, taken, demanded: taken && before?.as === 'underpriced' ? tipOf(attempt) : 0n };
};

/** Sends stored bytes in the order of their nonces and records the outcomes. */
export const transmit = async (run: LaneRun, { view }: LaneState, outgoing: readonly Outgoing[]): Promise<void> => {
  if (outgoing.length === 0) return;
  const { rpc, store, lease, memory, network } = run;
  const { rejected } = memory.transactions;
  const ordered = [...outgoing].sort((a, b) => a.slot.nonce - b.slot.nonce);
  run.failpoint('runLane:before_send');
  const outcomes = await rpc.send(
    ordered.map(({ attempt }) => attempt.raw),
    run.signal,
  );
  run.failpoint('runLane:after_send');
  const noted = ordered.map((own, index) => noteOutcome(run, own, outcomes[index]));
  const results = ordered.map(({ slot, attempt }, index) => {
    const { taken, sendClass } = noted[index]!;
    return { slotId: slot.id, seq: attempt.seq, error: taken ? null : sendClass };
  });
  const demanded = noted.map((own) => own.demanded).reduce(max, 0n);
  // The endpoint that gave fee and gas may be wrong.
  if (ordered.some(({ slot }) => rejected.get(slot.id)?.lacks)) run.turn.askAnother();
  await store.recordSends(lease, results);
  const accepted = ordered.filter((_, index) => outcomes[index]?.ok);
  // A pool that takes less beside it demands less.
  const isDemanded = demanded > 0n && accepted.every(({ attempt }) => tipOf(attempt) >= demanded);
  if (isDemanded) await store.learn(lease, { tip: demanded });
  await forgetRefuted(run, accepted);
  // This happens when the fee for data has risen since the funds were checked.
  const unpaid = ordered.filter((_, index) => results[index]?.error === 'insufficient_funds');
  if (unpaid.length > 0) {
    const slots = unpaid.map(({ slot }) => slot);
    const cost = costUnderWay(run, { slots }, marketFees(view, network.maxFeePerGas));
    const words = unpaid.map(({ slot }) => rejected.get(slot.id)?.words).find((own) => own !== undefined);
    const need = max(cost, (words && namedNeed(words, view.balance)) || 0n);
    // While queued intents lack funds as well, their need is higher.
    const refreshes = !memory.funds.isShort;
    await alertUnderfunded(run, {
      balance: view.balance,
      need,
      waiting: slots.length,
      refreshes,
      ...(words && { words }),
    });
  }
  await alertRefused(run, outcomes, 'fee_cap', 'cost');
  await alertRefused(run, outcomes, 'refused', 'send');
  const head = ordered.findIndex(({ slot }) => slot.nonce === view.nonce);
  if (head >= 0) await alertRejectedHead(run, ordered[head]!.slot, outcomes[head]);
  run.failpoint('runLane:after_record');
};

/** Forgets limits of call data and gas that accepted transactions exceed, and a tip that they have not. */
const forgetRefuted = async (run: LaneRun, accepted: readonly Outgoing[]): Promise<void> => {
  const { data, gas, tip } = run.memory.limits;
  if (data === undefined && gas === undefined && tip === undefined) return;
  const sizes = accepted.map(({ attempt }) => Transaction.from(attempt.raw));
  const refuted = [
    ...(sizes.some((own) => data !== undefined && bytesOf(own.data) > data) ? (['data'] as const) : []),
    ...(sizes.some(({ gasLimit }) => gas !== undefined && gasLimit > gas) ? (['gas'] as const) : []),
    ...(accepted.some(({ attempt }) => tip !== undefined && tipOf(attempt) < tip) ? (['tip'] as const) : []),
  ];
  if (refuted.length === 0) return;
  await run.store.forget(run.lease, refuted);
  run.memory.limits = Object.fromEntries(
    Object.entries(run.memory.limits).filter(([name]) => !refuted.some((one) => one === name)),
  );
};

/** Raises an alert when an endpoint has no method for transactions, or rejects one because of its cost. */
const alertRefused = async (
  run: LaneRun,
  outcomes: readonly RpcOutcome[],
  sendClass: SendClass,
  cause: CauseOf<'endpoint_refuses'>,
): Promise<void> => {
  // A denied send is told of where it has lasted.
  const refused = outcomes.find(
    (outcome) => !outcome.ok && outcome.error.kind !== 'denied' && classifySend(outcome) === sendClass,
  );
  if (refused?.ok !== false) return;
  await raiseAlert(run, troubleAlert(run.network, 'sending', refused.error, run.lease.id, cause));
};

/**
 * Raises an alert when endpoints reject, for a long time, the transaction on which all others of the lane depend,
 * although they respond to reads. The words of the rejection do not matter. Other alerts report rejections for fees,
 * funds and used nonces.
 */
const alertRejectedHead = async (run: LaneRun, slot: Slot, outcome: RpcOutcome | undefined): Promise<void> => {
  const rejected = run.memory.transactions.rejected.get(slot.id);
  if (outcome?.ok !== false || outcome.error.kind === 'aborted' || rejected === undefined) return;
  const isDenied = outcome.error.kind === 'denied';
  const isUntold = isDenied || rejected.as === 'pool_full' || notForFees.has(rejected.as);
  if (!isUntold || steadyClock.now() - rejected.since < run.timing.unreachable) return;
  await alertSlot(run, slot, 'head', outcome.error.message);
};

/** Raises the alert that endpoints do not take the transaction of a slot. */
export const alertSlot = async (
  run: LaneRun,
  slot: Slot,
  cause: CauseOf<'endpoint_refuses'>,
  reason: string,
): Promise<void> => {
  const refused = new RpcError('rejected', reason, { method: 'eth_sendRawTransaction' });
  const alert = troubleAlert(run.network, 'sending', refused, run.lease.id, cause);
  await raiseAlert(run, { ...alert, data: { ...alert.data, slot_id: slot.id, nonce: slot.nonce } });
  run.memory.transactions.refused.add(slot.id);
};

/**
 * Stored bytes that must be sent again: those that were never sent because the process died, those that the endpoint no
 * longer has, nudged ones, and periodically all, because a pool may lie about its contents.
 */
export const dueForSending = (transactions: readonly OpenTransaction[]): Outgoing[] =>
  pendingOf(transactions).flatMap(({ slot, state: { isDue, last } }) => (isDue ? [{ slot, attempt: last }] : []));
