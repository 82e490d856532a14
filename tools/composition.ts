import { spawnSync } from 'node:child_process';
import { root } from './paths.ts';

/** Milliseconds for the question to Docker. */
const PATIENCE_MS = 5_000;

/** True when services of docker-compose.yml run on this machine. */
export const compositionRuns = (): boolean => {
  const found = spawnSync('docker', ['compose', 'ps', '--status', 'running', '--quiet'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: PATIENCE_MS,
  });
  return found.status === 0 && found.stdout.trim() !== '';
};

/**
 * Runs an operators' command in the composition, whose database no other place reaches.
 * @returns its exit code
 */
export const runInComposition = (args: readonly string[]): number => {
  const terminal = process.stdout.isTTY ? [] : ['-T'];
  const run = spawnSync('docker', ['compose', 'run', '--rm', ...terminal, 'carat', ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  return run.status ?? 1;
};
