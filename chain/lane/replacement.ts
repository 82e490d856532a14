import { Transaction } from 'ethers';
import type { Attempt, Slot } from '../../domain/ports/lane.ts';
import { raiseAlert } from '../alert.ts';
import { isBelowMarket, max, min, replacementFees, type Demand, type FeeMarket, type Fees } from '../signing/fees.ts';
import { isMost, latestRequest, middle } from '../rpc/calls.ts';
import type { LaneRun } from './context.ts';
import { marketsOf, priceRequest, tipRequest } from './market.ts';
import type { Rejection } from './memory.ts';
import { limitFor } from './planning/gas.ts';
import { blockAmong, gasOf } from './planning/measure.ts';
import { smallerCalls, type SmallerCall, type TooLarge } from './planning/smaller.ts';
import { actionOf, pendingOf, type OpenTransaction, type PendingState, type WorkState } from './state.ts';

/** A slot that needs new bytes, with their fees. */
export interface Unsigned {
  readonly slot: Slot;
  readonly fees: Fees;
  /** Given when they may differ from those of the slot. */
  readonly gasLimit?: bigint;
  readonly call?: Pick<SmallerCall, 'to' | 'data'>;
}

/** Slots with new fees, and those whose fees cannot be raised although they are below the base fee. */
interface Raised {
  readonly unsigned: readonly Unsigned[];
  readonly tooDear: ReadonlySet<string>;
}

/**
 * Finds the slots that need a new attempt, and its fees and gas. It has the fees that most endpoints report, or
 * higher ones, and more gas where the quorum estimates more, as on chains with a changing price for data. Its call is that of the slot,
 * unless the slot is too large.
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
  const { markets, block = view.blockGasLimit, needOf, price } = await readFees(run, lacking);
  const market = marketAmong(markets) ?? view;
  const room = min(block, run.memory.gas.measure.block);
  const calls = await smallerCalls(run, tooLargeOf(run, lacking, room), room);
  for (const transaction of lacking) {
    const { slot, state } = transaction;
    const isBelow = isMost(
      markets.filter(({ baseFee }) => state.last.maxFeePerGas < baseFee).length,
      markets.length,
      1,
    );
    if (state.is === 'below_base_fee' && !isBelow) continue;
    if (state.is === 'outbid' && !isBelowMarket(state.last, market)) continue;
    const next = nextAttempt(run, transaction, {
      market,
      price,
      block,
      need: needOf.get(slot.id),
      call: calls.get(slot.id),
    });
    if (next === 'in vain') continue;
    if (next !== 'too dear') unsigned.push(next);
    else {
      if (isBelow) tooDear.add(slot.id);
      await alertCeiling(run, slot, state.last);
    }
  }
  return { unsigned, tooDear };
};

/** What a new attempt of a slot is made of. */
interface Ingredients extends Pick<FeeReadings, 'price'> {
  readonly market: FeeMarket;
  readonly block: bigint;
  readonly need: bigint | undefined;
  readonly call: SmallerCall | undefined;
}

/** The next attempt of a slot: with a smaller call, or with higher fees and perhaps other gas. */
const nextAttempt = (
  run: LaneRun,
  { slot, state: { is, last } }: OpenTransaction<PendingState>,
  { market, price, block, need, call }: Ingredients,
): Unsigned | 'too dear' | 'in vain' => {
  const rejection = run.memory.transactions.rejected.get(slot.id);
  const fees = replacementFees(last, market, run.network.maxFeePerGas, demandOf(rejection, last, market, price));
  // No pool has what all endpoints rejected, so its fees need not rise.
  const { maxFeePerGas, maxPriorityFeePerGas } = fees ?? last;
  if (call !== undefined) return { slot, fees: { maxFeePerGas, maxPriorityFeePerGas }, call, gasLimit: call.gasLimit };
  const gasLimit = gasLimitOf(run, block, slot, need);
  // Higher fees do not help against a wrong gas limit, nor against too much of something. Endpoints may estimate otherwise later.
  if (is === 'unmined') return 'in vain';
  const isInVain = is === 'wrong_gas' ? gasLimit === slot.gasLimit : is === 'too_large' && gasLimit >= slot.gasLimit;
  if (isInVain) {
    if (rejection !== undefined) rejection.lacks = is === 'wrong_gas' ? 'gas' : 'size';
    return 'in vain';
  }
  return fees === null ? 'too dear' : { slot, fees, gasLimit };
};

/**
 * The slots to make smaller: those that endpoints reject for their size, and those that have waited for long with more gas than a block
 * has. One whose gas was raised gets the planned gas first.
 */
const tooLargeOf = (
  { memory }: LaneRun,
  lacking: readonly OpenTransaction<PendingState>[],
  block: bigint,
): TooLarge[] =>
  lacking.flatMap(({ slot, state: { is } }): TooLarge[] => {
    const rejection = memory.transactions.rejected.get(slot.id);
    const isGuess = is === 'too_large' && rejection?.as === 'possibly_sent';
    // A retry of its payment makes it no smaller.
    if (isGuess || rejection?.as === 'too_much_data') return [{ slot, rejection }];
    if (slot.gasLimit > plannedGas(slot)) return [];
    if (rejection?.as === 'exceeds_block_gas_limit' || rejection?.as === 'fee_cap') return [{ slot, rejection }];
    const isOld = is === 'too_large' || is === 'overdue';
    return is === 'unmined' || (isOld && slot.gasLimit > block) ? [{ slot, rejection: undefined }] : [];
  });

/** The gas of the newest call of a slot as it was first signed. */
const plannedGas = ({ to, data, attempts, gasLimit }: Slot): bigint =>
  attempts.map(({ raw }) => Transaction.from(raw)).find((own) => own.data === data && own.to?.toLowerCase() === to)
    ?.gasLimit ?? gasLimit;

/** In how many eighths of its fee an attempt is rejected again when the endpoints name no fee that suffices. */
const STEPS = { underpriced: [16n, 32n], replacement_underpriced: [12n, 16n] } as const;

/** The fees that endpoints demand of an attempt: those that they name, else much higher ones with each try. */
const demandOf = (
  rejection: Rejection | undefined,
  last: Fees,
  { baseFee, priorityFee }: FeeMarket,
  price: bigint | undefined,
): Demand => {
  if (rejection === undefined) return { tip: 0n, maxFeePerGas: 0n };
  const { as, tries, fees } = rejection;
  const overBase = (all: bigint | null | undefined): bigint => max((all ?? 0n) - baseFee, 0n);
  const named = max(fees.tip ?? 0n, overBase(fees.price));
  const steps = as === 'underpriced' || as === 'replacement_underpriced' ? STEPS[as] : null;
  // The chain itself may have become dearer since.
  const isKnown = named > last.maxPriorityFeePerGas || (tries === 1 && priorityFee > last.maxPriorityFeePerGas);
  const eighths = steps === null || isKnown ? 8n : steps[Math.min(tries, steps.length) - 1]!;
  const tip = [named, (last.maxPriorityFeePerGas * eighths) / 8n, as === 'underpriced' ? overBase(price) : 0n].reduce(
    max,
  );
  const cap = [fees.cap ?? 0n, (last.maxFeePerGas * eighths) / 8n, 2n * max(baseFee, fees.baseFee ?? 0n) + tip].reduce(
    max,
  );
  return { tip, maxFeePerGas: cap };
};

/** The fees of the chain and the gas of slots, as the endpoints that respond report them. */
interface FeeReadings {
  readonly markets: readonly FeeMarket[];
  /** The median gas limit of a block. */
  readonly block: bigint | undefined;
  /** The highest gas that as many endpoints as the quorum estimate, or that they name in a rejection, by slot. */
  readonly needOf: ReadonlyMap<string, bigint>;
  /** The median price of gas, with the base fee. */
  readonly price: bigint | undefined;
}

const readFees = async (run: LaneRun, lacking: readonly OpenTransaction<PendingState>[]): Promise<FeeReadings> => {
  const { rpc, network, signer, signal, memory } = run;
  const estimated = lacking.flatMap(({ slot, state: { is } }) => (actionOf[is] === 'raise fees' ? [] : [slot]));
  const estimates = estimated.map(({ to, data }) => ({
    method: 'eth_estimateGas',
    params: [{ from: signer.address, to, data }, 'latest'],
  }));
  const requests = [latestRequest, tipRequest, priceRequest, ...estimates];
  const responses = await rpc.everyone(requests, { fewest: network.quorum, signal });
  const needOf = new Map<string, bigint>();
  for (const [index, { id }] of estimated.entries()) {
    const gas = responses.flatMap(({ outcomes }) => gasOf(outcomes[index + 3]) ?? []).sort((a, b) => Number(b - a));
    // An estimate also fails while the registry is paused or a role is revoked; the receipt shows that.
    const { as, gas: named } = memory.transactions.rejected.get(id) ?? {};
    const need = gas[Math.min(network.quorum, gas.length) - 1] ?? 0n;
    // Estimates may lack the least gas for the call data (EIP-7623).
    const all = as === 'gas_too_low' ? max(need, named ?? 0n) : need;
    if (all > 0n) needOf.set(id, all);
  }
  const told = responses.filter(({ outcomes: [block] }) => block?.ok);
  const markets = marketsOf(
    run,
    told.map(({ outcomes: [block, tip] }) => [block, tip]),
  );
  const price = middle(responses.flatMap(({ outcomes: [, , own] }) => gasOf(own) ?? []));
  return { markets, block: blockAmong(responses), needOf, price };
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
 * planned one. So a later estimate undoes one that was too high.
 */
const gasLimitOf = ({ memory }: LaneRun, block: bigint, slot: Slot, need: bigint | undefined): bigint => {
  if (need === undefined) return slot.gasLimit;
  return max(plannedGas(slot), limitFor(need, { ...memory.gas.measure, block }));
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
