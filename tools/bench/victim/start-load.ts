import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { NeighbourJob, NeighbourResult } from './load.ts';

export interface NeighbourClients {
  /** Starts a job, and returns the function that ends it. */
  begin(job: NeighbourJob): () => Promise<NeighbourResult>;
  stop(): void;
}

/** Starts the process of the neighbour's clients; jobs run in sequence. */
export const startNeighbourClients = (): NeighbourClients => {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)));
  return {
    begin: (job) => {
      const answered = once(child, 'message') as Promise<[NeighbourResult]>;
      child.send(job);
      return async () => {
        child.send('stop');
        return (await answered)[0];
      };
    },
    stop: () => child.disconnect(),
  };
};
