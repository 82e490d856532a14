import type { ChainRun } from '../domain/ports/chain-run.ts';
import { withFailures } from './failures.ts';
import { createRunFor } from './heartbeat.ts';

/** The end of a run. `isOver`: the key is dismissed and its work is done, the network has no signer, or it is at rest. */
export interface RunEnd {
  readonly isOver: boolean;
}

/** The runs of lanes and watchers behind the activities. */
export interface ChainActivityDeps {
  readonly runLane: (
    account: { readonly networkId: string; readonly accountId: string; readonly address: string },
    run: ChainRun,
  ) => Promise<RunEnd>;
  readonly runOffers: (networkId: string, run: ChainRun) => Promise<RunEnd>;
  readonly runWatcher: (networkId: string, run: ChainRun) => Promise<RunEnd>;
  /** Aborts when this process is about to stop, so that another process takes over at once. */
  readonly stopping: AbortSignal;
}

/** Run one lane, one watcher or the offers of one network for `runMs` milliseconds, on a separate queue. */
export const createChainActivities = ({ runLane, runOffers, runWatcher, stopping }: ChainActivityDeps) => {
  const runFor = createRunFor(stopping);
  return withFailures({
    runLane: (input: { networkId: string; accountId: string; address: string; runMs: number }): Promise<RunEnd> =>
      runFor(input.runMs, (run) => runLane(input, run)),
    runOffers: (input: { networkId: string; runMs: number }): Promise<RunEnd> =>
      runFor(input.runMs, (run) => runOffers(input.networkId, run)),
    runWatcher: (input: { networkId: string; runMs: number }): Promise<RunEnd> =>
      runFor(input.runMs, (run) => runWatcher(input.networkId, run)),
  });
};

/** The long activities by name, as workflows call them. */
export type ChainActivities = ReturnType<typeof createChainActivities>;
