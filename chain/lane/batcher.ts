import { steadyClock } from '../../domain/tools/clock.ts';
import { readBatchers, serves, type BatcherState } from '../deploy/batchers.ts';
import { RpcError } from '../rpc/error.ts';
import type { LaneRun } from './context.ts';

/** Milliseconds between checks whether a newer batcher may act. */
const AGAIN_MS = 10_000;

/**
 * Chooses the batcher for new slots: the newest one that exists and has its role, as the quorum reports it. A network
 * that an older Carat prepared uses its older batcher until it is prepared again. If none may act, the newest is
 * chosen, and intents wait for its role.
 * @throws RpcError when no endpoint responds
 */
export const chooseBatcher = async (run: LaneRun): Promise<void> => {
  const { memory } = run;
  if (steadyClock.now() < memory.queue.batcherUntil) return;
  const { batchers, isAgreed } = await readHere(run);
  const [newest] = batchers;
  // While too few endpoints agree, the oldest that may act is chosen: it works as well, and no false newer one counts.
  const chosen = (isAgreed ? batchers : [...batchers].reverse()).find(serves) ?? newest;
  if (chosen.address !== run.batcher.address) memory.gas.measuring = { until: 0, isOfMany: false };
  run.batcher = chosen;
  memory.queue.batcherUntil = isAgreed && chosen === newest && serves(newest) ? Infinity : steadyClock.now() + AGAIN_MS;
};

/** The batchers by the quorum, or by one endpoint when too few agree: sending must not wait for a quorum. */
const readHere = async ({
  rpc,
  network,
}: LaneRun): Promise<{ batchers: readonly [BatcherState, ...BatcherState[]]; isAgreed: boolean }> => {
  try {
    return { batchers: await readBatchers({ rpc, network }), isAgreed: true };
  } catch (error) {
    if (!(error instanceof RpcError) || network.quorum <= 1) throw error;
    return { batchers: await readBatchers({ rpc, network: { ...network, quorum: 1 } }), isAgreed: false };
  }
};
