import { steadyClock } from '../../domain/tools/clock.ts';
import { latestRequest, middle } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import { max, min, USUAL_TIP, type FeeMarket } from '../signing/fees.ts';
import type { LaneRun } from './context.ts';

/** Milliseconds for which a tip counts that the endpoint itself did not suggest. */
const AGAIN_MS = 30_000;

export const tipRequest: RpcRequest = { method: 'eth_maxPriorityFeePerGas' };
/** The price of gas, with the base fee. */
export const priceRequest: RpcRequest = { method: 'eth_gasPrice' };

/** The newest block and the suggested tip of one endpoint. */
type Told = readonly [block: RpcOutcome | undefined, tip: RpcOutcome | undefined];

const amountOf = (outcome: RpcOutcome | undefined): bigint[] => (outcome?.ok ? [BigInt(outcome.result as string)] : []);

const baseFeeOf = (block: RpcOutcome | undefined): bigint =>
  BigInt((resultOf(block) as { baseFeePerGas?: string }).baseFeePerGas ?? '0x0');

/**
 * The fees with a tip that the endpoint itself suggests, or one that it does not. The latter must not lead above the network's ceiling,
 * like the least tip that endpoints have demanded.
 */
const withTip = ({ network, memory }: LaneRun, baseFee: bigint, own: bigint | undefined, others = 0n): FeeMarket => {
  const room = max(network.maxFeePerGas - baseFee, 0n);
  return { baseFee, priorityFee: max(own ?? min(others, room), min(memory.limits.tip ?? 0n, room)) };
};

/** The fees of the chain by one endpoint. If it suggests no tip, those of all endpoints count. */
export const marketOf = async (run: LaneRun, [block, tip]: Told): Promise<FeeMarket> => {
  const baseFee = baseFeeOf(block);
  const [priorityFee] = amountOf(tip);
  if (priorityFee !== undefined) return withTip(run, baseFee, priorityFee);
  if (steadyClock.now() >= run.memory.fees.tip.until) await learnTip(run);
  return withTip(run, baseFee, undefined, run.memory.fees.tip.fee);
};

/** Learns the median tip of the endpoints that suggest one; else the median of their gas prices without the base fee. */
const learnTip = async ({ rpc, memory, signal }: LaneRun): Promise<void> => {
  const responses = await rpc.everyone([latestRequest, tipRequest, priceRequest], { fewest: 1, signal });
  const tips = responses.flatMap(({ outcomes: [, tip] }) => amountOf(tip));
  const overBase = responses.flatMap(({ outcomes: [block, , price] }) =>
    block?.ok ? amountOf(price).map((own) => own - baseFeeOf(block)) : [],
  );
  const fee = middle(tips) ?? middle(overBase.filter((tip) => tip > 0n)) ?? USUAL_TIP;
  memory.fees.tip = { fee, until: steadyClock.now() + AGAIN_MS };
};

/** The fees of the chain by several endpoints. Those that suggest no tip have the median of the others. */
export const marketsOf = (run: LaneRun, told: readonly Told[]): FeeMarket[] => {
  const others = middle(told.flatMap(([, tip]) => amountOf(tip))) ?? run.memory.fees.tip.fee;
  return told.map(([block, tip]) => {
    const [priorityFee] = amountOf(tip);
    const baseFee = baseFeeOf(block);
    return withTip(run, baseFee, priorityFee, others);
  });
};
