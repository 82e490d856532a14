import type { ChainRun } from '../domain/chain-run.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface WatchDeps {
  readonly runWatcher: (networkId: string, run: ChainRun) => Promise<void>;
  /** Aborts when this process is about to stop, so that another one can take over at once. */
  readonly stopping: AbortSignal;
}

/** Reads one network's blocks for `runMs` milliseconds. */
export const createWatchActivities = ({ runWatcher, stopping }: WatchDeps) => ({
  runWatcher: (input: { networkId: string; runMs: number }): Promise<void> =>
    withHeartbeat(({ signal, heartbeat }) =>
      runWatcher(input.networkId, {
        signal: AbortSignal.any([signal, stopping]),
        heartbeat,
        deadlineMs: Date.now() + input.runMs,
      }),
    ),
});
