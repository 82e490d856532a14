import { dataFeeOf, dataFeeRequests, learnDataFee, type DataFee } from '../signing/data-fee.ts';
import { decodeRevert } from '../pure/revert-reason.ts';
import { codes } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { feesNow, withRoom, type PlannedCall } from './send-calls.ts';

/** The cost of a call for its sender. Amounts in wei. */
export interface CallCost {
  readonly call: PlannedCall;
  /** The chain's estimate, or the gas limit when the call cannot be estimated yet. */
  readonly gas: bigint;
  readonly isEstimate: boolean;
  /** At the current fees. */
  readonly cost: bigint;
  /** The balance that the sender needs: a pool charges the whole gas limit at the maximum fee. */
  readonly needed: bigint;
}

/** Calls of one sender, and their sums. */
export interface Costs {
  readonly calls: readonly CallCost[];
  readonly cost: bigint;
  readonly needed: bigint;
}

/**
 * The cost of calls with the fees and gas of `sendCalls`, including the data fee of OP stack chains. Sends nothing.
 * @throws Error when a call would revert that does not depend on an earlier one
 */
export const costsOf = async (rpc: Rpc, from: string, calls: readonly PlannedCall[]): Promise<Costs> => {
  const { price, fees } = await feesNow(rpc);
  const data = calls.map((call) => call.data);
  const memory: DataFee = { dataFee: 0n };
  learnDataFee(memory, data, [(await rpc.batch(dataFeeRequests(memory, data))).outcomes]);
  const estimates = await estimatesOf(rpc, from, calls);
  const costs = calls.map((call, index): CallCost => {
    const estimate = estimates[index];
    const gas = estimate ?? call.gasLimit ?? 0n;
    const ofData = dataFeeOf(memory, () => call.data);
    return {
      call,
      gas,
      isEstimate: estimate !== null,
      cost: gas * price + ofData,
      needed: (call.gasLimit ?? withRoom(gas)) * fees.maxFeePerGas + ofData,
    };
  });
  const sum = (of: 'cost' | 'needed'): bigint => costs.reduce((total, own) => total + own[of], 0n);
  return { calls: costs, cost: sum('cost'), needed: sum('needed') };
};

/** The chain's gas estimates; null for a call that depends on an earlier one, such as a deployment or an approval. */
const estimatesOf = async (rpc: Rpc, from: string, calls: readonly PlannedCall[]): Promise<(bigint | null)[]> => {
  const found = await codes(
    rpc,
    calls.map(({ to }) => to),
  );
  const { outcomes } = await rpc.batch(
    calls.map(({ to, data }) => ({ method: 'eth_estimateGas', params: [{ from, to, data }] })),
  );
  return calls.map(({ what, gasLimit }, index) => {
    const outcome = outcomes[index];
    if (outcome?.ok && found[index] !== '0x') return BigInt(outcome.result as string);
    if (gasLimit !== undefined) return null;
    const revert = outcome?.ok === false ? outcome.error.revertData : null;
    throw new Error(`${what}: ${revert ? decodeRevert(revert).text : 'its gas cannot be estimated'}`);
  });
};
