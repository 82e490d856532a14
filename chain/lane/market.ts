import { steadyClock } from '../../domain/tools/clock.ts';
import { latestRequest, middle } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import { max, min, USUAL_TIP, type FeeMarket } from '../signing/fees.ts';
import type { LaneRun } from './context.ts';

/** Milliseconds for which a tip counts that the endpoint itself did not suggest. */
const AGAIN_MS = 30_000;

export const tipRequest: RpcRequest = { method: 'eth_maxPriorityFeePerGas' };

/** The newest block and the suggested tip of one endpoint. */
type Told = readonly [block: RpcOutcome | undefined, tip: RpcOutcome | undefined];

const amountOf = (outcome: RpcOutcome | undefined): bigint[] => (outcome?.ok ? [BigInt(outcome.result as string)] : []);

const baseFeeOf = (block: RpcOutcome | undefined): bigint =>
  BigInt((resultOf(block) as { baseFeePerGas?: string }).baseFeePerGas ?? '0x0');

/** A tip that the endpoint did not suggest must not lead above the network's ceiling. */
const withoutTip = ({ network }: LaneRun, baseFee: bigint, tip: bigint): FeeMarket => ({
  baseFee,
  priorityFee: min(tip, max(network.maxFeePerGas - baseFee, 0n)),
});

/** The fees of the chain by one endpoint. If it suggests no tip, those of all endpoints count. */
export const marketOf = async (run: LaneRun, [block, tip]: Told): Promise<FeeMarket> => {
  const baseFee = baseFeeOf(block);
  const [priorityFee] = amountOf(tip);
  if (priorityFee !== undefined) return { baseFee, priorityFee };
  if (steadyClock.now() >= run.memory.fees.tip.until) await learnTip(run);
  return withoutTip(run, baseFee, run.memory.fees.tip.fee);
};

/** Learns the median tip of the endpoints that suggest one; else the median of their gas prices without the base fee. */
const learnTip = async ({ rpc, memory, signal }: LaneRun): Promise<void> => {
  const responses = await rpc.everyone([latestRequest, tipRequest, { method: 'eth_gasPrice' }], { fewest: 1, signal });
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
    return priorityFee === undefined ? withoutTip(run, baseFee, others) : { baseFee, priorityFee };
  });
};
