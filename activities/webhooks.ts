import type { ChainRun } from '../domain/ports/chain-run.ts';
import { withFailures } from './failures.ts';
import { createRunFor } from './heartbeat.ts';

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
