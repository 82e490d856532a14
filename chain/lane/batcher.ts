import { readBatchers, serves } from '../deploy/batchers.ts';
import type { LaneRun } from './context.ts';

/** Milliseconds between questions whether a newer batcher may act by now. */
const AGAIN_MS = 10_000;

/**
 * Chooses what new slots go to: the newest batcher that is there and has its role, as the quorum has it. A network that was prepared
 * by an older Carat uses its own until it is prepared anew. Where none may act it is the newest, and what is sent waits for its role.
 * @throws RpcError while too few endpoints agree on it
 */
export const chooseBatcher = async (run: LaneRun): Promise<void> => {
  const { memory } = run;
  if (Date.now() < memory.batcherUntil) return;
  const [newest, ...older] = await readBatchers(run);
  const chosen = [newest, ...older].find(serves) ?? newest;
  if (chosen.address !== run.batcher.address) memory.measuring = { until: 0, isOfMany: false };
  run.batcher = chosen;
  memory.batcherUntil = chosen === newest && serves(newest) ? Infinity : Date.now() + AGAIN_MS;
};
