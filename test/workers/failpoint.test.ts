import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

/** A process that passes some points and then ends by itself. Returns the cause of its end and its output. */
const passing = (spec: string, points: readonly string[]): Promise<{ end: number | string | null; out: string }> =>
  new Promise((resolve) => {
    const script = `
      import { createFailpoint } from './workers/failpoint.ts';
      import { createLogger, eachLine } from './runtime/logger.ts';
      const failpoint = createFailpoint(${JSON.stringify(spec)}, createLogger({ level: 'info', destination: eachLine() }));
      for (const point of ${JSON.stringify(points)}) { failpoint(point, point.endsWith('after_record') ? 'after_answer' : 'now'); process.stdout.write(point + '\\n'); }
      setTimeout(() => {}, 400);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: path.resolve(root),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.on('close', (code, signal) => resolve({ end: signal ?? code, out }));
  });

it('a failpoint kills the process at the named pass of the named point', async () => {
  const points = ['lane:before_send', 'lane:after_send', 'lane:before_send'];
  expect(await passing('lane:before_send', points)).toMatchObject({ end: 'SIGKILL' });
  const second = await passing('lane:before_send:2', points);
  expect(second.end).toBe('SIGKILL');
  expect(second.out).toContain('lane:after_send');
  expect(await passing('lane:before_send:3', points)).toMatchObject({ end: 0 });
  expect(await passing('', points)).toMatchObject({ end: 0 });
});

it('a failpoint lets a record be reported before the process dies', async () => {
  const { end, out } = await passing('enqueueDeals:after_record', ['enqueueDeals:after_record', 'the answer']);
  expect(end).toBe('SIGKILL');
  expect(out).toContain('the answer');
});
