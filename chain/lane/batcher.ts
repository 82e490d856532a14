import { readBatchers, serves, type BatcherState } from '../deploy/batchers.ts';
import { RpcError } from '../rpc/error.ts';
import type { LaneRun } from './context.ts';

/** Milliseconds between questions whether a newer batcher may act by now. */
const AGAIN_MS = 10_000;

/**
 * Chooses what new slots go to: the newest batcher that is there and has its role, as the quorum has it. A network that was prepared
 * by an older Carat uses its own until it is prepared anew. Where none may act it is the newest, and what is sent waits for its role.
 * @throws RpcError when nobody answers
 */
export const chooseBatcher = async (run: LaneRun): Promise<void> => {
  const { memory } = run;
  if (Date.now() < memory.batcherUntil) return;
  const { batchers, isAgreed } = await readHere(run);
  const [newest] = batchers;
  // While too few endpoints agree, the oldest is as good as the newest where both may act, and none that is false is believed.
  const chosen = (isAgreed ? batchers : [...batchers].reverse()).find(serves) ?? newest;
  if (chosen.address !== run.batcher.address) memory.measuring = { until: 0, isOfMany: false };
  run.batcher = chosen;
  memory.batcherUntil = isAgreed && chosen === newest && serves(newest) ? Infinity : Date.now() + AGAIN_MS;
};

/** The batchers by the quorum; by one endpoint where too few agree: what is paid must not wait for them, judgements do. */
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
