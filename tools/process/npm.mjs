// Plain JavaScript without packages, because tools/bootstrap.mjs needs it before anything is installed.
import { spawn } from 'node:child_process';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs `npm ci` in a folder with its output on this terminal, and resolves to its exit code or the signal that ended
 * it. Forwards signals to npm, which would otherwise keep running beside the npm of the next start.
 */
export const installLocked = (cwd, args = []) => {
  const npm = process.env.npm_execpath;
  const all = ['ci', '--no-audit', '--no-fund', ...args];
  const [command, full] = npm?.endsWith('js') ? [process.execPath, [npm, ...all]] : ['npm', all];
  return new Promise((resolve, reject) => {
    // Standard output is the script's own, which a program may read.
    const child = spawn(command, full, { cwd, stdio: ['ignore', process.stderr, 'inherit'] });
    const pass = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, pass);
    const settled = (settle) => (outcome) => {
      for (const signal of signals) process.removeListener(signal, pass);
      settle(outcome);
    };
    child.on('error', settled(reject));
    child.on('exit', (code, signal) => settled(resolve)(code ?? signal));
  });
};
