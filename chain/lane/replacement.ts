import { Transaction } from 'ethers';
import type { Attempt, Slot } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { raiseAlert } from '../alert.ts';
import { isBelowMarket, max, replacementFees, type FeeMarket, type Fees } from '../signing/fees.ts';
import { isMost, latestRequest } from '../rpc/calls.ts';
import { neverForFees } from '../rpc/send-errors.ts';
import type { LaneRun, LaneState } from './context.ts';
import { marketsOf, tipRequest } from './market.ts';
import { limitFor } from './planning/gas.ts';
import { blockAmong, gasOf } from './planning/measure.ts';

/** A slot that needs new bytes, with their fees. */
export interface Unsigned {
  readonly slot: Slot;
  readonly fees: Fees;
  /** Given when it may differ from that of the slot. */
  readonly gasLimit?: bigint;
}

/** Slots with new fees, and those whose fees cannot be raised although they are below the base fee. */
interface Raised {
  readonly unsigned: readonly Unsigned[];
  readonly tooDear: ReadonlySet<string>;
}

/**
 * Slots that need a new attempt: the oldest one when it has waited too long, every one below the base fee, those that
 * an endpoint rejected for fee or gas, and nudged ones. The new attempt has the fees that most endpoints report, or
 * higher ones, and more gas where the quorum estimates more, as on chains with a changing price for data. Nonce,
 * receiver and data are frozen.
 */
export const raiseFees = async (run: LaneRun, state: LaneState): Promise<Raised> => {
  const lacking = state.slots.flatMap((slot) => lackOf(run, state, slot) ?? []);
  const unsigned: Unsigned[] = [];
  const tooDear = new Set<string>();
  if (lacking.length === 0) return { unsigned, tooDear };
  // The endpoint of this view may be the cause.
  run.memory.turn += 1;
  const { markets, block = state.view.blockGasLimit, needOf } = await hear(run, lacking);
  const market = marketAmong(markets) ?? state.view;
  for (const { slot, last, lack } of lacking) {
    const isBelow = isMost(markets.filter(({ baseFee }) => last.maxFeePerGas < baseFee).length, markets.length, 1);
    if (lack === 'base fee' && !isBelow) continue;
    if (lack === 'market fee' && !isBelowMarket(last, market)) continue;
    const fees = replacementFees(last, market, run.network.maxFeePerGas);
    if (fees === null) {
      if (isBelow) tooDear.add(slot.id);
      await alertCeiling(run, slot, last);
      continue;
    }
    const gasLimit = gasLimitOf(run, block, slot, needOf.get(slot.id));
    // Higher fees do not help against a wrong gas limit. Endpoints may estimate otherwise later.
    if (lack === 'gas' && gasLimit === slot.gasLimit) run.memory.refused.set(slot.id, lack);
    else unsigned.push({ slot, fees, gasLimit });
  }
  return { unsigned, tooDear };
};

/**
 * A slot with too little of something: `base fee` and `market fee` when it is below that of this view, `either` when it
 * may be fee or gas.
 */
interface Lacking {
  readonly slot: Slot;
  readonly last: Attempt;
  readonly lack: 'fee' | 'base fee' | 'market fee' | 'gas' | 'either';
}

/** Null when the slot lacks nothing. */
const lackOf = (run: LaneRun, state: LaneState, slot: Slot): Lacking | null => {
  const { memory } = run;
  const { nonce } = state.view;
  const last = slot.attempts.at(-1);
  if (slot.state !== 'signed' || last === undefined || slot.nonce < nonce) return null;
  const refused = memory.refused.get(slot.id);
  memory.refused.delete(slot.id);
  const isDue = slot.nonce === nonce && isStuck(run, state, slot, last);
  if ((isDue && !isGone(run, state, slot, last)) || isNudged(run, slot, last)) return { slot, last, lack: 'either' };
  if (refused) return { slot, last, lack: refused };
  if (last.maxFeePerGas < state.view.baseFee) return { slot, last, lack: 'base fee' };
  return isDue && isBelowMarket(last, state.view) ? { slot, last, lack: 'market fee' } : null;
};

/** The fees of the chain and the gas of slots, as the endpoints that respond report them. */
interface Heard {
  readonly markets: readonly FeeMarket[];
  /** The median gas limit of a block. */
  readonly block: bigint | undefined;
  /** The highest gas that as many endpoints as the quorum estimate, by slot. */
  readonly needOf: ReadonlyMap<string, bigint>;
}

const hear = async (run: LaneRun, lacking: readonly Lacking[]): Promise<Heard> => {
  const { rpc, network, signer, signal } = run;
  const estimated = lacking.flatMap(({ slot, lack }) => (lack === 'gas' || lack === 'either' ? [slot] : []));
  const estimates = estimated.map(({ to, data }) => ({
    method: 'eth_estimateGas',
    params: [{ from: signer.address, to, data }, 'latest'],
  }));
  const requests = [latestRequest, tipRequest, ...estimates];
  const responses = await rpc.everyone(requests, { fewest: network.quorum, signal });
  const needOf = new Map<string, bigint>();
  for (const [index, { id }] of estimated.entries()) {
    const gas = responses.flatMap(({ outcomes }) => gasOf(outcomes[index + 2]) ?? []).sort((a, b) => Number(b - a));
    // An estimate also fails while the registry is paused or a role is revoked; the receipt shows that.
    const need = gas[Math.min(network.quorum, gas.length) - 1];
    if (need !== undefined) needOf.set(id, need);
  }
  const told = responses.filter(({ outcomes: [block] }) => block?.ok);
  const markets = marketsOf(
    run,
    told.map(({ outcomes: [block, tip] }) => [block, tip]),
  );
  return { markets, block: blockAmong(responses), needOf };
};

/** The medians of fees, of two the higher ones, because a transaction with too low a fee waits; undefined for none. */
const marketAmong = (markets: readonly FeeMarket[]): FeeMarket | undefined => {
  const among = (key: keyof FeeMarket): bigint | undefined =>
    markets.map((market) => market[key]).sort((a, b) => (a < b ? -1 : 1))[Math.floor(markets.length / 2)];
  const [baseFee, priorityFee] = [among('baseFee'), among('priorityFee')];
  return baseFee === undefined || priorityFee === undefined ? undefined : { baseFee, priorityFee };
};

/**
 * The gas limit for what a slot needs now, with its margin, as far as a transaction may have it. It is at least the
 * planned one, which the first attempt has. So a later estimate undoes one that was too high.
 */
const gasLimitOf = ({ memory }: LaneRun, block: bigint, slot: Slot, need: bigint | undefined): bigint => {
  if (need === undefined) return slot.gasLimit;
  const planned = Transaction.from(slot.attempts[0]!.raw).gasLimit;
  return max(planned, limitFor(need, { ...memory.gas, block }));
};

/** True when the slot is nudged and the last attempt had one block time to be mined. */
const isNudged = ({ network }: LaneRun, { nudgedAt }: Slot, { signedAt }: Attempt): boolean =>
  nudgedAt !== null && steadyClock.now() - signedAt >= network.blockTimeMs;

/** True when the pool lacks the transaction. Some endpoints do not know their pool. */
export const isMissing = ({ view }: Pick<LaneState, 'view'>, { nonce }: Slot): boolean =>
  view.pendingNonce !== null && nonce >= view.pendingNonce;

/**
 * True when the endpoints accept a transaction that the pool lacks, or lacked until lately. They may drop it at any fee. A
 * pool that drops it for its fee rejects it when it is sent again.
 */
const isGone = ({ memory, network }: LaneRun, state: LaneState, slot: Slot, { lastSentAt }: Attempt): boolean => {
  const isNewlySent = steadyClock.now() - (lastSentAt ?? 0) < 2 * network.blockTimeMs;
  return !memory.notTaken.has(slot.id) && (isNewlySent || isMissing(state, slot));
};

/** True when endpoints reject a transaction for a reason that no fee removes, and no pool is known to have it. */
const isKeptOut = ({ memory }: LaneRun, state: LaneState, slot: Slot): boolean => {
  const rejected = memory.notTaken.get(slot.id)?.as;
  if (rejected === undefined || !neverForFees.has(rejected)) return false;
  return isMissing(state, slot) || (state.view.pendingNonce === null && rejected !== 'possibly_sent');
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
    memory.headSince.set(key, { at: steadyClock.now(), block: view.tip });
    return false;
  }
  // An endpoint may have reported a tip that does not exist.
  since.block = Math.min(since.block, view.tip);
  if (steadyClock.now() - since.at < timing.bump) return false;
  if (view.tip - since.block >= timing.bumpBlocks) return true;
  memory.turn += 1;
  return false;
};

/** Raises the alert that fees are too high to send anything new. */
export const alertAboveCeiling = async (run: LaneRun, { baseFee }: FeeMarket): Promise<void> => {
  const { network, lease } = run;
  await raiseAlert(run, {
    kind: 'fees_above_ceiling',
    subject: lease.id,
    message: `The base fee of ${network.name} is above the network's ceiling`,
    data: { base_fee: baseFee.toString(), ceiling: network.maxFeePerGas.toString() },
  });
};

const alertCeiling = async (run: LaneRun, slot: Slot, last: Attempt): Promise<void> => {
  const { network, signer, lease } = run;
  await raiseAlert(run, {
    kind: 'fees_above_ceiling',
    subject: lease.id,
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
