import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { Writable } from 'node:stream';
import { createLineWriter } from '../../../api/http/line-writer.ts';

const collector = () => {
  const writes: string[] = [];
  const out = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      writes.push(chunk.toString());
      done();
    },
  });
  return { writes, out };
};
const turn = () => new Promise(setImmediate);

it('lines of one turn are one write, in their order, and those of the next another', async () => {
  const { writes, out } = collector();
  const write = createLineWriter(out);
  write('a\n');
  write('b\n');
  expect(writes).toEqual([]);
  await turn();
  write('c\n');
  await turn();
  await turn();
  expect(writes).toEqual(['a\nb\n', 'c\n']);
});

it.each(['process.exit(0)', 'throw new Error("on purpose")', 'process.kill(process.pid, "SIGTERM")'])(
  'what is left is written before the process ends by %s',
  (end) => {
    const program = `
      import { createLineWriter } from ${JSON.stringify(path.resolve('api/http/line-writer.ts'))};
      process.once('SIGTERM', () => process.exit(1));
      const write = createLineWriter(process.stdout);
      write('last words\\n');
      ${end}`;
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('last words\n');
  },
);
