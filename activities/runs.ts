import type { ChainRun } from '../domain/ports/chain-run.ts';
import { withFailures, createRunFor } from './failures.ts';

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

/** The runs of the sender and of the retries behind the activities. */
export interface WebhookActivityDeps {
  readonly runSender: (run: ChainRun) => Promise<void>;
  readonly runRetries: (webhookId: string, run: ChainRun) => Promise<number | null>;
  /** Aborts when this process is about to stop, so that another process takes over at once. */
  readonly stopping: AbortSignal;
}

/** Runs the sender, on the queue of lanes and watchers. */
export const createSenderActivities = ({ runSender, stopping }: WebhookActivityDeps) => {
  const runFor = createRunFor(stopping);
  return withFailures({ runSender: (input: { runMs: number }): Promise<void> => runFor(input.runMs, runSender) });
};

/** Runs retries, on a separate queue: a receiver that hangs keeps its slot for long. */
export const createRetryActivities = ({ runRetries, stopping }: WebhookActivityDeps) => {
  const runFor = createRunFor(stopping);
  return withFailures({
    /** @returns milliseconds until the next attempt is due; null when none is left */
    runRetries: (input: { webhookId: string; runMs: number }): Promise<number | null> =>
      runFor(input.runMs, (run) => runRetries(input.webhookId, run)),
  });
};

/** Both by name, as workflows call them. */
export type SenderActivities = ReturnType<typeof createSenderActivities>;
export type RetryActivities = ReturnType<typeof createRetryActivities>;
