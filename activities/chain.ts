import type { ChainRun } from '../domain/ports/chain-run.ts';
import { withFailures } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

/**
 * How a run of a lane or a watcher ended. Over is a lane whose key has left the catalogue and has nothing left to do, and what
 * belongs to a network at rest.
 */
export interface RunEnd {
  readonly isOver: boolean;
}

/** The lane and the watcher that the activities run. */
export interface ChainActivityDeps {
  readonly runLane: (
    account: { readonly networkId: string; readonly accountId: string; readonly address: string },
    run: ChainRun,
  ) => Promise<RunEnd>;
  readonly runWatcher: (networkId: string, run: ChainRun) => Promise<RunEnd>;
  /** Aborts when this process is about to stop, so that another one can take over at once. */
  readonly stopping: AbortSignal;
}

/**
 * Lanes and watchers, which run for minutes on a queue of their own: the work of one signer on one network, and the
 * reading of one network's blocks, each for `runMs` milliseconds.
 */
export const createChainActivities = ({ runLane, runWatcher, stopping }: ChainActivityDeps) => {
  const runFor = <Result>(runMs: number, work: (run: ChainRun) => Promise<Result>): Promise<Result> =>
    withHeartbeat(({ signal, heartbeat }) =>
      work({ signal: AbortSignal.any([signal, stopping]), heartbeat, deadlineMs: Date.now() + runMs }),
    );

  return withFailures({
    runLane: (input: { networkId: string; accountId: string; address: string; runMs: number }): Promise<RunEnd> =>
      runFor(input.runMs, (run) => runLane(input, run)),
    runWatcher: (input: { networkId: string; runMs: number }): Promise<RunEnd> =>
      runFor(input.runMs, (run) => runWatcher(input.networkId, run)),
  });
};

/** The long activities by name, as workflows call them. */
export type ChainActivities = ReturnType<typeof createChainActivities>;
