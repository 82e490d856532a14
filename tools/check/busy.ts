import { spawn } from 'node:child_process';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { root } from '../paths.ts';

/*
 * npm run test:busy [-- PART OR ARGUMENT OF JEST...]
 *
 * Runs the tests beside four busy loops, as on a slow machine that others use, too. Without arguments: `npm test`.
 */

const LOOPS = 4;

// Threads of this process: they end with it, whatever ends it.
const loops = Array.from({ length: LOOPS }, () => new Worker('for (;;);', { eval: true }));
console.error(`${LOOPS} busy loops run beside the tests`);
const child = spawn(process.execPath, [path.join(root, 'tools/check/test.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
// Ctrl-C reaches the tests by itself, which then end.
process.on('SIGINT', () => {});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
  for (const loop of loops) void loop.terminate();
});
