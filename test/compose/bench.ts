import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What a run of the composition stands on: a copy of the repository, a Docker daemon, and a report. */
export interface Bench {
  /** Copy of the repository, in which the operator's commands run. */
  readonly folder: string;
  /** Folder of everything else that this run writes. */
  readonly scratch: string;
  /** Environment of the commands. */
  readonly env: NodeJS.ProcessEnv;
  /** Prints one line of progress with the time since the start. */
  report(line: string): void;
  /** Runs a command of a page as it stands there, in the copy. Resolves to what it printed. */
  sh(command: string): Promise<string>;
  /** Runs work, and notes how long it took under this name. */
  timed<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Lines for the end of the run, such as times. */
  readonly notes: string[];
}

/** Milliseconds between two signs of progress of a command that prints nothing here. */
const TICK_MS = 20_000;
/** Characters of a failed command's output that its error shows. */
const SHOWN = 3_000;

export const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Runs a shell command; its output goes to a log file. */
const shell = (
  command: string,
  { cwd, env, log, onTick }: { cwd: string; env: NodeJS.ProcessEnv; log: string; onTick: (ms: number) => void },
): Promise<string> =>
  new Promise((resolve, reject) => {
    const startedAt = Date.now();
    fs.appendFileSync(log, `\n$ ${command}\n`);
    // Where there is no sudo, this runs as root in a container or on a plain machine.
    const prelude = 'command -v sudo >/dev/null || sudo() { "$@"; }\n';
    const child = spawn('sh', ['-euc', prelude + command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let all = '';
    const hear = (chunk: Buffer): void => {
      fs.appendFileSync(log, chunk);
      all = (all + chunk.toString()).slice(-SHOWN);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      hear(chunk);
    });
    child.stderr.on('data', hear);
    const ticker = setInterval(() => onTick(Date.now() - startedAt), TICK_MS);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearInterval(ticker);
      if (code === 0) resolve(out);
      else reject(new Error(`\`${command}\` ended with ${signal ?? code}:\n${all}`));
    });
  });

/** Makes a bench in a scratch folder. */
export const createBench = (scratch: string, env: NodeJS.ProcessEnv): Bench => {
  const startedAt = Date.now();
  const folder = path.join(scratch, 'carat');
  const log = path.join(scratch, 'commands.log');
  fs.mkdirSync(folder, { recursive: true });
  const notes: string[] = [];
  const report = (line: string): void => {
    process.stdout.write(`${secondsText(Date.now() - startedAt).padStart(9)}  ${line}\n`);
  };
  return {
    folder,
    scratch,
    env,
    report,
    notes,
    sh: (command) => {
      const onTick = (ms: number): void =>
        report(`  still: ${command.split('\n')[0]!.slice(0, 90)} (${secondsText(ms)})`);
      return shell(command, { cwd: folder, env, log, onTick });
    },
    timed: async (name, work) => {
      report(name);
      const from = Date.now();
      const result = await work();
      notes.push(`${name}: ${secondsText(Date.now() - from)}`);
      return result;
    },
  };
};

/**
 * Asks until the answer is not undefined. Errors count as no answer yet.
 * @throws Error with the last reason after `ms` milliseconds
 */
export const eventually = async <Result>(
  what: string,
  ask: () => Promise<Result | undefined>,
  ms = 120_000,
): Promise<Result> => {
  const deadline = Date.now() + ms;
  for (;;) {
    let reason = 'not yet';
    try {
      const result = await ask();
      if (result !== undefined) return result;
    } catch (error) {
      reason = (error as Error).message;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${secondsText(ms)}: ${reason}`);
    await delay(500);
  }
};
