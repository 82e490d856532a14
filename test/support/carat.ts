import { execFile } from 'node:child_process';
import path from 'node:path';
import { root } from '../../dev/paths.ts';

/** How a command ended. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the operators' command as a process of its own, with this environment and nothing else. */
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
