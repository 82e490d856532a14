import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './load.ts';

export interface HttpClients {
  /** @throws Error after an unexpected answer */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): void;
}

/** Starts the clients' process; jobs run in sequence. */
export const startHttpClients = (): HttpClients => {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)));
  return {
    run: async (job) => {
      const answered = once(child, 'message') as Promise<[LoadResult]>;
      child.send(job);
      const [result] = await answered;
      if (result.problem !== null) throw new Error(result.problem);
      return result;
    },
    stop: () => void child.kill(),
  };
};
