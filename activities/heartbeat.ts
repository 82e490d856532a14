import { Context } from '@temporalio/activity';

/**
 * Tells the server that this process lives while `work` runs, also while it waits for a slow endpoint. When the server
 * has given the activity to another worker, or the worker stops, `signal` aborts.
 */
export const withHeartbeat = async <Result>(
  work: (run: { signal: AbortSignal; heartbeat: (details?: unknown) => void }) => Promise<Result>,
): Promise<Result> => {
  const context = Context.current();
  const beatMs = (context.info.heartbeatTimeoutMs ?? 10_000) / 4;
  let details: unknown;
  const timer = setInterval(() => context.heartbeat(details), beatMs);
  try {
    return await work({
      signal: context.cancellationSignal,
      heartbeat: (progress) => {
        details = progress;
        context.heartbeat(details);
      },
    });
  } finally {
    clearInterval(timer);
  }
};
