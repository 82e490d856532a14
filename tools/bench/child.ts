import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of clients, which answers each job with one message. */
export interface Child<Job, Answer> {
  /** Jobs run in sequence. */
  ask(job: Job): Promise<Answer>;
  /** Tells it something without an answer of its own. */
  tell(note: Job): void;
  stop(): void;
}

/** Starts the process of a file, so that clients and servers do not share an event loop. */
export const startChild = <Job extends object | string, Answer>(file: URL): Child<Job, Answer> => {
  const child = fork(fileURLToPath(file));
  return {
    ask: async (job) => {
      const answered = once(child, 'message') as Promise<[Answer]>;
      child.send(job);
      return (await answered)[0];
    },
    tell: (note) => void child.send(note),
    stop: () => void child.kill(),
  };
};
