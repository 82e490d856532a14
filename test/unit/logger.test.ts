import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { createLogger } from '../../runtime/logger.ts';

it('a line has its level, time, message, the fields of its process and its own', () => {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    base: { process: 'api' },
    destination: { write: (line) => void lines.push(line) },
  });
  log.debug('left out');
  log.warn('100 % "done"', { wei: 2n ** 70n, depth: 3, missing: undefined, ids: ['a', null] });
  expect(lines).toHaveLength(1);
  expect(lines[0]!.endsWith('}\n')).toBe(true);
  const { time, ...line } = JSON.parse(lines[0]!) as { time: string };
  expect(new Date(time).toISOString()).toBe(time);
  expect(line).toEqual({
    level: 'warn',
    process: 'api',
    message: '100 % "done"',
    wei: '1180591620717411303424',
    depth: 3,
    ids: ['a', null],
  });
});

const ends = ['process.exit(0)', 'throw new Error("on purpose")', 'process.kill(process.pid, "SIGTERM")'];

it.each(ends.flatMap((end) => ['eachLine()', 'linesOfATurn()'].map((to) => [end, to] as const)))(
  'all lines are written in order before a process ends by %s, to %s',
  (end, to) => {
    const program = `
      import { createLogger, eachLine, linesOfATurn } from ${JSON.stringify(path.resolve('runtime/logger.ts'))};
      process.once('SIGTERM', () => process.exit(1));
      const log = createLogger({ level: 'info', destination: ${to} });
      for (let line = 0; line < 5_000; line += 1) log.info('x'.repeat(100), { line });
      setImmediate(() => { log.info('last words', { line: 5_000 }); ${end}; });`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    const lines = stdout.trimEnd().split('\n');
    const numbers = lines.map((line) => (JSON.parse(line) as { line: number }).line);
    expect(numbers).toEqual(Array.from({ length: 5_001 }, (_, line) => line));
  },
);
