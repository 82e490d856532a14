import { setTimeout as delay } from 'node:timers/promises';
import type { RunningProcess } from './process.ts';

export interface SuperviseOptions {
  readonly name: string;
  /** Starts it and resolves when it is ready. */
  readonly start: () => Promise<RunningProcess>;
  /** False: start it once, and only report its end. */
  readonly restart: boolean;
  readonly report: (line: string) => void;
  /** Called with the new process id after each start. */
  readonly onStart: (pid: number) => void;
}

/** A process that is restarted when it dies. */
export interface Supervised {
  stop(): Promise<void>;
}

const firstPauseMs = 200;
const longestPauseMs = 10_000;

/** Starts a process and restarts it when it ends, with growing backoff while it keeps ending. */
export const supervise = async (options: SuperviseOptions): Promise<Supervised> => {
  const { name, report } = options;
  const stopping = new AbortController();
  let running = await options.start();
  options.onStart(running.pid);

  const watch = async (): Promise<void> => {
    for (let pauseMs = firstPauseMs; ;) {
      const startedAt = Date.now();
      const outcome = await running.exited;
      if (stopping.signal.aborted) return;
      if (!options.restart) {
        report(`${name} (process ${running.pid}) ended (${outcome}) and is not restarted (--no-restart)`);
        return;
      }
      report(`${name} (process ${running.pid}) ended (${outcome}); restarting it`);
      pauseMs = Date.now() - startedAt > 30_000 ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs);
      for (let started = false; !started;) {
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
        if (stopping.signal.aborted) return;
        try {
          running = await options.start();
          if (stopping.signal.aborted) return await running.stop();
          started = true;
        } catch (error) {
          report(`${name} did not start: ${(error as Error).message}`);
          pauseMs = Math.min(pauseMs * 2, longestPauseMs);
        }
      }
      options.onStart(running.pid);
      report(`${name} is running again (process ${running.pid})`);
    }
  };
  const watching = watch();
  return {
    stop: async () => {
      stopping.abort();
      await running.stop();
      await watching;
    },
  };
};
