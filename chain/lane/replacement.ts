import { Transaction } from 'ethers';
import type { Attempt, Slot } from '../../domain/ports/lane.ts';
import { raiseAlert } from '../alert.ts';
import { isBelowMarket, max, replacementFees, type FeeMarket, type Fees } from '../signing/fees.ts';
import { isMost, latestRequest } from '../rpc/calls.ts';
import type { LaneRun } from './context.ts';
import { marketsOf, tipRequest } from './market.ts';
import { limitFor } from './planning/gas.ts';
import { blockAmong, gasOf } from './planning/measure.ts';
import { actionOf, pendingOf, type OpenTransaction, type PendingState, type WorkState } from './state.ts';

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
 * Finds the slots that need a new attempt, and its fees and gas. It has the fees that most endpoints report, or
 * higher ones, and more gas where the quorum estimates more, as on chains with a changing price for data. Nonce,
 * receiver and data are frozen.
 */
export const raiseFees = async (run: LaneRun, { view, transactions }: WorkState): Promise<Raised> => {
  const { rejected } = run.memory.transactions;
  const lacking = pendingOf(transactions).filter(({ state: { is } }) => actionOf[is] !== 'send again');
  const unsigned: Unsigned[] = [];
  const tooDear = new Set<string>();
  if (lacking.length === 0) return { unsigned, tooDear };
  // The endpoint of this view may be the cause.
  run.turn.askAnother();
  // A rejection leads to one try.
  for (const { slot } of lacking) Object.assign(rejected.get(slot.id) ?? {}, { lacks: null });
  const { markets, block = view.blockGasLimit, needOf } = await readFees(run, lacking);
  const market = marketAmong(markets) ?? view;
  for (const { slot, state } of lacking) {
    const { is, last } = state;
    const isBelow = isMost(markets.filter(({ baseFee }) => last.maxFeePerGas < baseFee).length, markets.length, 1);
    if (is === 'below_base_fee' && !isBelow) continue;
    if (is === 'outbid' && !isBelowMarket(last, market)) continue;
    const fees = replacementFees(last, market, run.network.maxFeePerGas);
    if (fees === null) {
      if (isBelow) tooDear.add(slot.id);
      await alertCeiling(run, slot, last);
      continue;
    }
    const gasLimit = gasLimitOf(run, block, slot, needOf.get(slot.id));
    // Higher fees do not help against a wrong gas limit. Endpoints may estimate otherwise later.
    if (is === 'wrong_gas' && gasLimit === slot.gasLimit) Object.assign(rejected.get(slot.id)!, { lacks: 'gas' });
    else unsigned.push({ slot, fees, gasLimit });
  }
  return { unsigned, tooDear };
};

/** The fees of the chain and the gas of slots, as the endpoints that respond report them. */
interface FeeReadings {
  readonly markets: readonly FeeMarket[];
  /** The median gas limit of a block. */
  readonly block: bigint | undefined;
  /** The highest gas that as many endpoints as the quorum estimate, by slot. */
  readonly needOf: ReadonlyMap<string, bigint>;
}

const readFees = async (run: LaneRun, lacking: readonly OpenTransaction<PendingState>[]): Promise<FeeReadings> => {
  const { rpc, network, signer, signal } = run;
  const estimated = lacking.flatMap(({ slot, state: { is } }) => (actionOf[is] === 'raise fees and gas' ? [slot] : []));
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
  return max(planned, limitFor(need, { ...memory.gas.measure, block }));
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
