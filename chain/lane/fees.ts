import { Transaction } from 'ethers';
import type { Attempt, Slot } from '../../domain/ports/lane.ts';
import { raiseAlert } from '../alert.ts';
import { replacementFees, type FeeMarket, type Fees } from '../signing/fees.ts';
import { notForFees } from '../rpc/send-errors.ts';
import type { LaneRun, LaneState } from './context.ts';
import { capped, least, withMargin } from './planning/gas.ts';

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** A slot that needs new bytes, with their fees. */
export interface Unsigned {
  readonly slot: Slot;
  readonly fees: Fees;
  /** Given when it may differ from that of the slot. */
  readonly gasLimit?: bigint;
}

/**
 * Slots that need a new attempt: the oldest one when it has waited too long, every one below the base fee, those that
 * an endpoint rejected for fee or gas, and nudged ones. The new attempt has higher fees, and more gas where the quorum
 * estimates more, as on chains with a changing price for data. Nonce, receiver and data are frozen.
 */
export const raiseFees = async (run: LaneRun, state: LaneState): Promise<Unsigned[]> => {
  const unsigned: Unsigned[] = [];
  for (const slot of state.slots) {
    const last = slot.attempts.at(-1);
    if (slot.state !== 'signed' || last === undefined || slot.nonce < state.view.nonce) continue;
    const lack = lackOf(run, state, slot, last);
    if (lack === null) continue;
    const fees = replacementFees(last, state.view, run.network.maxFeePerGas);
    if (fees === null) {
      await alertCeiling(run, slot, last);
      continue;
    }
    const gasLimit = lack === 'fee' ? slot.gasLimit : await estimateAgain(run, state, slot);
    // Higher fees do not help against a wrong gas limit. Endpoints may estimate otherwise later.
    if (lack === 'gas' && gasLimit === slot.gasLimit) {
      run.memory.refused.set(slot.id, lack);
      continue;
    }
    unsigned.push({ slot, fees, gasLimit });
  }
  if (state.slots.some(({ id }) => run.memory.refused.has(id))) run.memory.turn += 1;
  return unsigned;
};

/** True when the base fee is above the fee of a slot's transaction, and the ceiling allows no higher one. */
export const isTooDear = ({ network }: LaneRun, { view }: LaneState, { attempts }: Slot): boolean => {
  const last = attempts.at(-1);
  if (last === undefined || last.maxFeePerGas >= view.baseFee) return false;
  return replacementFees(last, view, network.maxFeePerGas) === null;
};

/** The resource of which a slot may have too little; null when it lacks none. */
const lackOf = (run: LaneRun, state: LaneState, slot: Slot, last: Attempt): 'fee' | 'gas' | 'either' | null => {
  const { memory } = run;
  const { nonce, baseFee } = state.view;
  const refused = memory.refused.get(slot.id);
  memory.refused.delete(slot.id);
  if ((slot.nonce === nonce && isStuck(run, state, slot, last)) || isNudged(run, slot, last)) return 'either';
  return refused ?? (last.maxFeePerGas < baseFee ? 'fee' : null);
};

/**
 * The gas limit that a slot needs now: the highest estimate that as many endpoints as the quorum reach, with its margin,
 * as far as a transaction may have it. It is at least the planned one, which the first attempt has. So a later estimate
 * undoes one that was too high.
 */
const estimateAgain = async (
  { rpc, network, signer, memory, signal }: LaneRun,
  { view }: LaneState,
  { to, data, gasLimit, attempts }: Slot,
): Promise<bigint> => {
  const request = { method: 'eth_estimateGas', params: [{ from: signer.address, to, data }, 'latest'] };
  const responses = await rpc.everyone([request], { fewest: network.quorum, signal });
  const estimates = responses
    .flatMap(({ outcomes: [outcome] }) => (outcome?.ok ? BigInt(outcome.result as string) : []))
    .sort((a, b) => Number(b - a));
  const need = estimates[Math.min(network.quorum, estimates.length) - 1];
  // An estimate also fails while the registry is paused or a role is revoked; the receipt shows that.
  if (need === undefined) return gasLimit;
  const planned = Transaction.from(attempts[0]!.raw).gasLimit;
  return max(planned, least([capped(withMargin(need, memory.gas)), view.blockGasLimit]));
};

/** True when the slot is nudged and the last attempt had one block time to be mined. */
const isNudged = ({ network }: LaneRun, { nudgedAt }: Slot, { signedAt }: Attempt): boolean =>
  nudgedAt !== null && performance.now() - signedAt >= network.blockTimeMs;

/** True when endpoints reject a transaction for a reason that no fee removes, and the pool lacks the transaction. */
const isKeptOut = ({ memory }: LaneRun, { view }: LaneState, { id, nonce }: Slot): boolean => {
  const rejected = memory.notTaken.get(id);
  const isMissing = view.pendingNonce !== null && nonce >= view.pendingNonce;
  return rejected !== undefined && notForFees.has(rejected.as) && isMissing;
};

const isStuck = (run: LaneRun, state: LaneState, slot: Slot, last: Attempt): boolean => {
  if (last.lastSentAt === null || isKeptOut(run, state, slot)) return false;
  const { memory, timing } = run;
  const { view } = state;
  const key = `${slot.id}:${last.seq}`;
  const since = memory.headSince.get(key);
  if (since === undefined) {
    // An account has one oldest transaction; older entries are obsolete.
    memory.headSince.clear();
    memory.headSince.set(key, { at: performance.now(), block: view.tip });
    return false;
  }
  // An endpoint may have reported a tip that does not exist.
  since.block = Math.min(since.block, view.tip);
  if (performance.now() - since.at < timing.bump) return false;
  if (view.tip - since.block >= timing.bumpBlocks) return true;
  memory.turn += 1;
  return false;
};

/** Raises the alert that fees are too high to send anything new. */
export const alertAboveCeiling = async (run: LaneRun, { baseFee }: FeeMarket): Promise<void> => {
  const { network, lease } = run;
  await raiseAlert(run, {
    key: `fees_above_ceiling:${lease.id}`,
    kind: 'fees_above_ceiling',
    message: `The base fee of ${network.name} is above the network's ceiling`,
    data: { base_fee: baseFee.toString(), ceiling: network.maxFeePerGas.toString() },
  });
};

const alertCeiling = async (run: LaneRun, slot: Slot, last: Attempt): Promise<void> => {
  const { network, signer, lease } = run;
  await raiseAlert(run, {
    key: `fees_above_ceiling:${lease.id}`,
    kind: 'fees_above_ceiling',
    message: `Transaction ${slot.nonce} of ${signer.address} on ${network.name} would need fees above the network's ceiling`,
    data: {
      slot_id: slot.id,
      attempt: last.seq,
      nonce: slot.nonce,
      ceiling: network.maxFeePerGas.toString(),
      max_fee_per_gas: last.maxFeePerGas.toString(),
    },
  });
};
