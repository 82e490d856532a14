import type { DealIntent, LaneLimits, QueuedIntent } from '../../../domain/ports/lane.ts';
import { decodeBatchFailures } from '../../pure/deal-encoding.ts';
import { decodeRevert, type RevertReason } from '../../pure/revert-reason.ts';
import { quantity } from '../../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../../rpc/requests.ts';
import { RpcError } from '../../rpc/error.ts';
import type { LaneRun } from '../context.ts';
import { callOfDeals, gasLimitOf, withoutLimit, type DealDraft } from './drafts.ts';
import {
  capped,
  countDiamonds,
  gasOfDeals,
  least,
  limitOfDeals,
  MAX_TRANSACTION_GAS,
  PART_FACTOR,
  type GasMeasure,
} from './gas.ts';
import { gasOf } from './measure.ts';

/** A batch with too little gas. */
export interface GasShortage {
  readonly draft: DealDraft;
  /** Diamonds that have used up the gas of their part. */
  readonly spent: readonly string[];
  /** The estimate; null without one. */
  readonly gas: bigint | null;
  /** True when an endpoint runs no batch this large, or none estimates it. */
  readonly isTooLarge: boolean;
}

/** Refused intents, each with the reason and the deals that may be at fault. */
export type Refused = Map<QueuedIntent, { readonly reason: RevertReason; readonly suspects: readonly DealIntent[] }>;

interface Outcome {
  /** Why the whole batch fails. */
  readonly reverted: RevertReason | null;
  /** Why parts fail for other reasons than gas, by diamond. */
  readonly parts: ReadonlyMap<string, RevertReason>;
  /** Set when gas is short, for the parts of the spent diamonds or for the whole batch. */
  readonly short: Pick<GasShortage, 'spent' | 'isTooLarge'> | null;
}

/** @throws RpcError for a failure that is neither a revert nor about gas, and for a response that no batcher gives */
export const outcomeOf = (deals: readonly DealIntent[], outcome: RpcOutcome | undefined): Outcome => {
  const none = { reverted: null, parts: new Map<string, RevertReason>(), short: null };
  const short = { spent: [], isTooLarge: false };
  const refusal = outcome?.ok === false ? outcome.error.refusal : null;
  if (refusal === 'gas_cap' || refusal === 'data_cap') return { ...none, short: { ...short, isTooLarge: true } };
  const ranOut = outcome?.ok === false && outcome.error.ranOut;
  if (refusal === 'gas_too_low' || ranOut) return { ...none, short };
  const reverted = revertOf(outcome);
  if (reverted?.name === 'InsufficientGas') return { ...none, short };
  if (reverted) return { ...none, reverted };
  const failures = [...failuresOf(deals, outcome)].map(([diamond, data]) => [diamond, decodeRevert(data)] as const);
  const spent = failures.flatMap(([diamond, { name }]) => (name === 'OutOfGas' ? [diamond] : []));
  const parts = new Map(failures.filter(([, { name }]) => name !== 'OutOfGas'));
  return { ...none, parts, short: spent.length === 0 ? null : { ...short, spent } };
};

/** @throws RpcError for a response that no batcher gives */
const failuresOf = (deals: readonly DealIntent[], outcome: RpcOutcome | undefined): Map<string, string> => {
  const output = resultOf(outcome) as string;
  try {
    return decodeBatchFailures(deals, output);
  } catch {
    throw new RpcError('lie', 'the simulation of a batch returned no result of a batcher');
  }
};

/** Why one intent fits into no transaction or block, by its estimate or by an endpoint that refuses to estimate so much gas. */
export const tooMuchGas = (outcome: RpcOutcome | undefined, { block }: GasMeasure): RevertReason | null => {
  if (outcome?.ok) {
    const gas = BigInt(outcome.result as string);
    return gas > least([MAX_TRANSACTION_GAS, block])
      ? { name: 'TooMuchGas', text: `it needs ${gas} gas, more than a transaction or a block may have` }
      : null;
  }
  const error = outcome?.error;
  if (error?.refusal === 'data_cap') return { name: 'TooMuchData', text: error.message };
  if (error?.refusal !== 'gas_cap' && error?.refusal !== 'gas_too_low') return null;
  return { name: 'TooMuchGas', text: error.message };
};

/** Why endpoints take no transaction of this size, by the limits that they have shown; null when they may. */
export const beyond = (
  { data, gas }: LaneLimits,
  size: { readonly data: bigint; readonly gas: bigint },
): RevertReason | null => {
  if (data !== undefined && size.data > data)
    return { name: 'TooMuchData', text: `it has ${size.data} bytes of call data, and endpoints take ${data} at most` };
  return gas !== undefined && size.gas > gas
    ? { name: 'TooMuchGas', text: `it needs a gas limit of ${size.gas}, and endpoints take ${gas} at most` }
    : null;
};

/** @throws RpcError for a failure that is not a revert */
export const revertOf = (outcome: RpcOutcome | undefined): RevertReason | null => {
  if (!outcome || outcome.ok) return null;
  const data = outcome.error.revertData;
  if (data === null) throw outcome.error;
  return decodeRevert(data);
};

/** The simulation of one diamond's deals alone, with the highest gas of a part; `whyFailed` reads its outcome. */
export const requestAlone = (
  run: LaneRun,
  purpose: DealIntent['purpose'],
  deals: readonly DealIntent[],
): RpcRequest => {
  const gas = quantity(capped(limitOfDeals(deals.length, 1, run.memory.gas.measure, true)));
  return {
    method: 'eth_call',
    params: [{ ...callOfDeals(run, purpose, deals, PART_FACTOR.alone), gas }, 'latest'],
  };
};

/**
 * Why these deals fail alone; null when they work, or the endpoint does not run them with so much gas.
 * @throws RpcError for a response that no batcher gives
 */
export const whyFailed = (deals: readonly DealIntent[], outcome: RpcOutcome | undefined): RevertReason | null => {
  const { reverted, parts, short } = outcomeOf(deals, outcome);
  if (short?.isTooLarge) return null;
  if (short) return { name: 'OutOfGas', text: 'it needs more than three times the gas that others need' };
  return reverted ?? [...parts.values()][0] ?? null;
};

/** Percentage of the measure above which a diamond needs more gas than others. */
const DEAR = 125n;

/**
 * Finds out why batches have too little gas although it was just measured. A diamond that fails alone, with the highest
 * gas of a part, is refused. A diamond that needs more gas than others gets separate slots from now on. Otherwise the
 * measure is raised, or batches become smaller when endpoints estimate none of this size.
 * @param measure the measure of the batches
 * @param mayGoOn false to refuse the batches
 */
export const makeRoom = async (
  run: LaneRun,
  shortages: readonly GasShortage[],
  measure: GasMeasure,
  mayGoOn: boolean,
): Promise<Refused> => {
  const { memory, rpc, signal } = run;
  const refused: Refused = new Map();
  const tooMuch = { name: 'TooMuchGas', text: 'no gas limit of a transaction suffices' };
  if (!mayGoOn) {
    for (const { draft } of shortages)
      for (const intent of draft.intents) refused.set(intent, { reason: tooMuch, suspects: [] });
    return refused;
  }
  for (const { draft } of shortages.filter(({ isTooLarge }) => isTooLarge))
    memory.gas.most = least([memory.gas.most, gasLimitOf(draft, measure) / 2n]);
  const lacking = shortages.filter(({ isTooLarge }) => !isTooLarge);
  const asked = lacking.flatMap((shortage) =>
    [...Map.groupBy(shortage.draft.intents, ({ diamond }) => diamond)].map(([diamond, deals]) => ({
      shortage,
      diamond,
      deals,
    })),
  );
  if (asked.length === 0) return refused;
  const { outcomes } = await rpc.batch(
    asked.flatMap(({ shortage: { draft }, deals }) => [
      requestAlone(run, draft.purpose, deals),
      estimateOne(run, draft.purpose, deals),
    ]),
    { turn: run.turn.now, signal },
  );
  const explained = new Set<GasShortage>();
  // A copy, because a batch can be short by its simulation and by its estimate.
  const known = new Set(memory.gas.dear);
  asked.forEach(({ shortage, diamond, deals }, index) => {
    const { spent } = shortage;
    const failure = whyFailed(deals, outcomes[2 * index]);
    const needs = gasOf(outcomes[2 * index + 1]) ?? 0n;
    const isDear = spent.includes(diamond) || needs * 100n > gasOfDeals(1, 1, measure) * DEAR;
    if (failure === null && !isDear) return;
    explained.add(shortage);
    if (failure === null && !known.has(diamond)) return void memory.gas.dear.add(diamond);
    const isGas = failure === null || failure.name === 'OutOfGas';
    for (const deal of deals)
      refused.set(deal, { reason: failure ?? tooMuch, suspects: isGas || deals.length === 1 ? [] : deals });
  });
  const unexplained = lacking.filter((shortage) => !explained.has(shortage));
  if (unexplained.length > 0) memory.gas.measure = raised(memory.gas.measure, unexplained);
  return refused;
};

/** An estimate of the first of these deals alone, without a limit of its part. */
const estimateOne = (run: LaneRun, purpose: DealIntent['purpose'], deals: readonly DealIntent[]): RpcRequest => ({
  method: 'eth_estimateGas',
  params: [callOfDeals(run, purpose, deals.slice(0, 1), withoutLimit(run.memory.gas.measure)), 'latest'],
});

/** A measure that is enough for these batches, at least a quarter higher. */
const raised = (measure: GasMeasure, shortages: readonly GasShortage[]): GasMeasure => {
  const parts = shortages.map(({ draft, gas }) => {
    const usual = gasOfDeals(draft.intents.length, countDiamonds(draft.intents), measure);
    return gas === null || gas <= usual ? 1_250n : (gas * 1_000n) / usual + 1n;
  });
  const scale = parts.reduce((a, b) => (a > b ? a : b));
  const by = (gas: bigint): bigint => (gas * scale) / 1_000n + 1n;
  return { ...measure, base: by(measure.base), diamond: by(measure.diamond), deal: by(measure.deal) };
};
