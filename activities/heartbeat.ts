import { Context } from '@temporalio/activity';
import type { ChainRun } from '../domain/ports/chain-run.ts';

/** Milliseconds for one step: longer than a statement, or requests to five endpoints one after another, may take. */
const STEP_MS = 60_000;

/** The process lives, but the work has taken no step for too long. */
export class HungError extends Error {
  override readonly name = 'HungError';
}

/**
 * Runs work that calls `heartbeat` at each of its steps, and sends heartbeats to the server while the steps go on. The
 * details are shown beside the running activity. The activity fails after `stepMs` without a step; a frozen or dead process
 * sends nothing. Either way another run takes over. `signal` aborts when the server has given the activity to another
 * worker, or the worker stops.
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

/** Runs work with heartbeats for `runMs` milliseconds, or until `stopping` aborts. */
export const createRunFor =
  (stopping: AbortSignal) =>
  <Result>(runMs: number, work: (run: ChainRun) => Promise<Result>): Promise<Result> =>
    withHeartbeat(({ signal, heartbeat }) =>
      work({ signal: AbortSignal.any([signal, stopping]), heartbeat, deadlineMs: performance.now() + runMs }),
    );
