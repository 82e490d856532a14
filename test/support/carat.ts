import { execFile } from 'node:child_process';
import path from 'node:path';
import { loadConfig, type ConfigKey, type Environment } from '../../runtime/config.ts';
import type { Command } from '../../cli/command/command.ts';
import { runWords } from '../../cli/run.ts';
import { root } from '../../tools/paths.ts';

/** How a command ended. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the operators' command as a separate process, with this environment only. */
export const carat = (args: readonly string[], env: Record<string, string>, input = ''): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path.join(root, 'cli', 'carat.mjs'), ...args],
      { env: { PATH: process.env.PATH, ...env } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
    child.stdin!.end(input);
  });

/** The same in this process, which is much faster. */
export const caratHere = async (args: readonly string[], env: Environment): Promise<Outcome> => {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runWords(args, {
    env,
    print: (line) => void out.push(`${line}\n`),
    report: (line) => void err.push(`${line}\n`),
  });
  return { code, out: out.join(''), err: err.join('') };
};

/** Runs a command in this process, with this environment, and appends its output to `out`, line by line. */
export const callCommand = async (
  command: unknown,
  args: readonly string[],
  env: Environment,
  out: string[],
): Promise<void> => {
  const { config: keys, run } = command as Command<ConfigKey>;
  const need = <Key extends ConfigKey>(...more: readonly Key[]) => loadConfig(env, more);
  const print = (line: string): void => void out.push(line);
  await run({ args, config: need(...keys), need, print, report: () => {} });
};
