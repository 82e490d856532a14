import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Options of a process: how to start it, wait until it is ready, and stop it. */
export interface ProcessOptions {
  /** Name in messages. */
  readonly name: string;
  readonly command: string;
  readonly args: string[];
  /** The whole environment. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  /** File that its output is appended to. */
  readonly logFile: string;
  /** Signal to stop. Default `SIGTERM`. */
  readonly stopSignal?: NodeJS.Signals;
  /** Milliseconds between the stop signal and SIGKILL. Default 10,000. */
  readonly graceMs?: number;
  /** Resolves to true once the process works; may throw before. */
  readonly isReady: () => Promise<boolean>;
  /** Timeout until it is ready, in milliseconds. Default 300,000: a process that fails ends long before. */
  readonly readyMs?: number;
  /** Called with the id as soon as the process exists, before it is ready. */
  readonly onSpawn?: (pid: number) => void;
}

/** A process that was started and is ready. */
export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves with the exit code or signal when the process ends for any reason. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Sends the stop signal, then SIGKILL after the grace. Safe to call more than once. */
  stop(): Promise<void>;
}

/**
 * Starts a process in its own process group (Ctrl-C reaches the starter alone) and waits until it is ready.
 * @throws Error with the end of the log when the process ends early or is not ready in time; then it is stopped
 */
export const startProcess = async (options: ProcessOptions): Promise<RunningProcess> => {
  const { name, logFile, stopSignal = 'SIGTERM', graceMs = 10_000, readyMs = 300_000 } = options;
  fs.mkdirSync(path.dirname(logFile), { recursive: true });
  const log = fs.openSync(logFile, 'a', 0o600);
  const logStart = fs.fstatSync(log).size;
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env,
    uid: options.uid,
    gid: options.gid,
    detached: true,
    stdio: ['ignore', log, log],
  });
  fs.closeSync(log);
  const exited = watchExit(child);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} could not be started: ${await spawnError(child, options.command)}`);
  options.onSpawn?.(pid);

  let ended: number | NodeJS.Signals | undefined;
  void exited.then((outcome) => (ended = outcome));
  const stop = async (): Promise<void> => {
    if (ended !== undefined) return;
    child.kill(stopSignal);
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
  };

  const deadline = Date.now() + readyMs;
  let problem = 'it did not answer';
  while (ended === undefined && Date.now() < deadline) {
    try {
      if (await options.isReady()) return { name, pid, exited, stop };
    } catch (error) {
      problem = (error as Error).message;
    }
    await Promise.race([delay(50), exited]);
  }
  const reason =
    ended === undefined ? `is not ready after ${readyMs / 1000} s: ${problem}` : `ended at once (${ended})`;
  await stop();
  throw new Error(`${name} ${reason}\n${tail(logFile, logStart)}(log: ${logFile})`);
};

const watchExit = (child: ChildProcess): Promise<number | NodeJS.Signals> =>
  new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 0));
  });

const spawnError = (child: ChildProcess, command: string): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`${command}: ${error.message}`));
  });

/** The last lines that the process wrote since `from`, or nothing. */
const tail = (file: string, from: number): string => {
  const text = fs.readFileSync(file).subarray(from).toString('utf8').trimEnd();
  return text === '' ? '' : `${text.split('\n').slice(-15).join('\n')}\n`;
};
