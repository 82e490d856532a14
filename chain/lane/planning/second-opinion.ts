import type { DealIntent, SlotPlan } from '../../../domain/ports/lane.ts';
import { latestRequest, quantity } from '../../rpc/calls.ts';
import { RpcError } from '../../rpc/error.ts';
import type { RpcOutcome } from '../../rpc/requests.ts';
import type { LaneRun } from '../context.ts';
import { outcomeOf } from './shortage.ts';

/**
 * True when a plan fits into an endpoint's blocks, and the endpoint simulates it without the failure of any part; null
 * when it simulates nothing. A simulation may have more gas than a block.
 */
const verdictOf = (
  { intents, gasLimit }: SlotPlan,
  block: RpcOutcome | undefined,
  outcome: RpcOutcome | undefined,
): boolean | null => {
  if (block?.ok && BigInt((block.result as { gasLimit: string }).gasLimit) < gasLimit) return false;
  if (outcome === undefined) return null;
  // A refusal of the method, the state, the batch or so much gas says nothing about the plan.
  if (!outcome.ok) return outcome.error.revertData !== null || outcome.error.refusal === 'gas_too_low' ? false : null;
  const deals = intents.filter((intent): intent is DealIntent => intent.kind === 'deal');
  if (deals.length === 0) return true;
  try {
    const { parts, short } = outcomeOf(deals, outcome);
    return parts.size === 0 && short === null;
  } catch {
    // Its result is none of a batcher.
    return null;
  }
};

/**
 * Requires that each plan works at as many endpoints as the quorum, simulated as it will be signed. Where fewer simulate, all of them must
 * agree: sending does not wait for a quorum. The endpoint that has planned could give parts too little gas, which would cost their payments
 * a try.
 * @throws RpcError when fewer do; the next plan then begins with another endpoint and a new measure
 */
export const requireWorking = async (run: LaneRun, plans: readonly SlotPlan[]): Promise<void> => {
  const { rpc, network, signer, signal, memory } = run;
  if (network.quorum <= 1 || plans.length === 0) return;
  const simulations = plans.map(({ to, gasLimit, intents, encode }) => ({
    method: 'eth_call',
    params: [{ from: signer.address, to, data: encode(intents), gas: quantity(gasLimit) }, 'latest'],
  }));
  const responses = await rpc.everyone([latestRequest, ...simulations], { fewest: network.quorum, signal });
  const isAgreed = (plan: SlotPlan, index: number): boolean => {
    const verdicts = responses.flatMap(({ outcomes: [block, ...own] }) => verdictOf(plan, block, own[index]) ?? []);
    return verdicts.filter(Boolean).length >= Math.min(network.quorum, verdicts.length);
  };
  if (plans.every(isAgreed)) return;
  memory.gas.measuring = { until: 0, isOfMany: false };
  throw new RpcError('rejected', 'too few endpoints agree that the next transactions work', { method: 'eth_call' });
};
