import type { DealIntent, SlotPlan } from '../../../domain/ports/lane.ts';
import { quantity } from '../../rpc/calls.ts';
import { RpcError } from '../../rpc/error.ts';
import type { RpcOutcome } from '../../rpc/requests.ts';
import type { LaneRun } from '../context.ts';
import { outcomeOf } from './shortage.ts';

/** True when an endpoint simulates a plan without the failure of any part. */
const works = ({ intents }: SlotPlan, outcome: RpcOutcome | undefined): boolean => {
  if (!outcome?.ok) return false;
  const deals = intents.filter((intent): intent is DealIntent => intent.kind === 'deal');
  if (deals.length === 0) return true;
  try {
    const { reverted, parts, short } = outcomeOf(deals, outcome);
    return reverted === null && parts.size === 0 && short === null;
  } catch {
    return false;
  }
};

/**
 * Requires that as many endpoints as the quorum, or all where fewer respond, simulate each plan as it will be signed, and none of its parts
 * fails there: sending does not wait for a quorum. One endpoint
 * has planned, and its word alone could give parts too little gas, which would cost their payments a try.
 * @throws RpcError when fewer do; the next plan then begins with another endpoint and a new measure
 */
export const requireWorking = async (run: LaneRun, plans: readonly SlotPlan[]): Promise<void> => {
  const { rpc, network, signer, signal, memory } = run;
  if (network.quorum <= 1 || plans.length === 0) return;
  const requests = plans.map(({ to, gasLimit, intents, encode }) => ({
    method: 'eth_call',
    params: [{ from: signer.address, to, data: encode(intents), gas: quantity(gasLimit) }, 'latest'],
  }));
  const responses = await rpc.everyone(requests, { fewest: network.quorum, signal });
  const agreeing = (plan: SlotPlan, index: number): number =>
    responses.filter(({ outcomes }) => works(plan, outcomes[index])).length;
  const enough = Math.min(network.quorum, responses.length);
  if (plans.every((plan, index) => agreeing(plan, index) >= enough)) return;
  memory.measuring = { until: 0, isOfMany: false };
  throw new RpcError('rejected', 'too few endpoints agree that the next transactions work', { method: 'eth_call' });
};
