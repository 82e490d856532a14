import { runWords } from './run.ts';

/*
 * carat COMMAND [ARGUMENT...]
 *
 * The operator's commands. Exit code 0: success; 1: failure, with its reason; 2: invalid usage.
 */

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const report = (line: string): void => void process.stderr.write(`${line}\n`);
for (const stream of [process.stdout, process.stderr]) {
  // The reader may close the pipe, as `| head` does; the command finishes anyway.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await runWords(process.argv.slice(2), { env: process.env, print, report });
