import type { ChainRun } from '../domain/chain-run.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface LaneActivityDeps {
  readonly runLane: (
    account: { readonly networkId: string; readonly accountId: string; readonly address: string },
    run: ChainRun,
  ) => Promise<void>;
  /** Aborts when this process is about to stop, so that another one can take over at once. */
  readonly stopping: AbortSignal;
}

/** The work of one signer on one network, for `runMs` milliseconds. */
export const createLaneActivities = ({ runLane, stopping }: LaneActivityDeps) => ({
  runLane: (input: { networkId: string; accountId: string; address: string; runMs: number }): Promise<void> =>
    withHeartbeat(({ signal, heartbeat }) =>
      runLane(input, { signal: AbortSignal.any([signal, stopping]), heartbeat, deadlineMs: Date.now() + input.runMs }),
    ),
});
