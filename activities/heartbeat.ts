import { Context } from '@temporalio/activity';
import type { ChainRun } from '../domain/ports/chain-run.ts';

/** Milliseconds that one step may take: longer than a statement may, and a request to each of five endpoints in turn. */
const STEP_MS = 60_000;

/** The work has shown no sign of life for too long, though its process lives. */
export class HungError extends Error {
  override readonly name = 'HungError';
}

/**
 * Runs work that calls `heartbeat` at each of its steps. While steps follow each other the server is told so; when the
 * next one does not come the activity fails, so that another run takes over; and when the process is frozen or dead the
 * server hears nothing. It is told the details, too, which an operator sees beside the running activity. When the server has given the activity to another worker, or the worker stops, `signal` aborts.
 * @throws HungError
 */
export const withHeartbeat = async <Result>(
  work: (run: Pick<ChainRun, 'signal' | 'heartbeat'>) => Promise<Result>,
  stepMs = STEP_MS,
): Promise<Result> => {
  const context = Context.current();
  const timeoutMs = context.info.heartbeatTimeoutMs ?? 10_000;
  const givenUp = new AbortController();
  let latest = performance.now();
  let seen = {};
  const heartbeat: ChainRun['heartbeat'] = (details) => {
    latest = performance.now();
    if (details !== undefined) seen = { ...seen, ...details };
  };
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      const silentMs = performance.now() - latest;
      if (silentMs < stepMs) return context.heartbeat(seen);
      givenUp.abort();
      reject(new HungError(`There was no step for ${Math.round(silentMs)} ms`));
    }, timeoutMs / 4);
  });
  try {
    return await Promise.race([
      work({ signal: AbortSignal.any([context.cancellationSignal, givenUp.signal]), heartbeat }),
      hung,
    ]);
  } finally {
    clearInterval(timer);
  }
};
