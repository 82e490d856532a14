import { batchersOf, registryAddress, type PlatformBatcher } from '../pure/platform.ts';
import { contracts } from '../pure/contracts.ts';
import { roleIds } from '../pure/roles.ts';
import { codeRequest, outputOf, textOf, viewRequest } from '../rpc/calls.ts';
import { RpcError } from '../rpc/error.ts';
import type { LaneRun } from './context.ts';

/** Milliseconds between questions whether a newer batcher may act by now. */
const AGAIN_MS = 10_000;

/**
 * Chooses what new slots go to: the newest batcher that is there and has its role, as the quorum has it. A network that was prepared
 * by an older Carat uses its own until it is prepared anew. Where none may act it is the newest, and what is sent waits for its role.
 * @throws RpcError while too few endpoints agree on it
 */
export const chooseBatcher = async (run: LaneRun): Promise<void> => {
  const { memory, network } = run;
  const batchers = batchersOf(network.platform);
  const isNewest = run.batcher.address === batchers[0].address;
  const isKnown = memory.batcherAskedAt > 0 && (isNewest || Date.now() - memory.batcherAskedAt < AGAIN_MS);
  if (isKnown) return;
  const chosen = (await thatMayAct(run, batchers)) ?? batchers[0];
  if (chosen.address !== run.batcher.address) memory.measuring = { until: 0, isOfMany: false };
  run.batcher = chosen;
  memory.batcherAskedAt = Date.now();
};

/** The first of these that may act. */
const thatMayAct = async (
  { rpc, network, signal }: LaneRun,
  batchers: readonly PlatformBatcher[],
): Promise<PlatformBatcher | undefined> => {
  const roles = batchers.map(({ address }) => ({
    to: registryAddress(network.platform),
    interface: contracts.registry.interface,
    name: 'roleState',
    args: [roleIds.operator, address],
  }));
  const requests = [...roles.map((role) => viewRequest(role)), ...batchers.map(({ address }) => codeRequest(address))];
  const answers = await rpc.agree(requests, network.quorum, (outcomes) => outcomes.map(textOf), signal);
  for (const [index, batcher] of batchers.entries()) {
    const state = answers[index];
    const code = answers[batchers.length + index];
    if (state === undefined || code === undefined)
      throw new RpcError('inconsistent', 'the endpoints do not agree on which batcher may act');
    const [isEnabled] = outputOf(roles[index]!, state) as [enabled: boolean];
    if (isEnabled && code !== '0x') return batcher;
  }
  return undefined;
};
