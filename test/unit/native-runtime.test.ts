import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

/* Jest with test/support/native-runtime.ts: no state of a module of tests changes the outcome of another file, and each trouble fails its own file. */

const files = {
  'state.ts': 'export const state: { by?: string } = {};',
  'a.test.ts': `import { mock } from 'node:test';
    import { state } from './state.ts';
    it('leaves everything behind', () => {
      state.by = 'a';
      process.env['CARAT_LEFT'] = 'a';
      mock.timers.enable({ apis: ['setTimeout', 'Date'] });
      mock.method(performance, 'now', () => 1);
    });`,
  'b.test.ts': `import { state } from './state.ts';
    it('finds nothing', () => {
      expect([state.by, process.env['CARAT_LEFT']]).toEqual([undefined, undefined]);
      expect([Date.now() > 1e12, performance.now() === 1]).toEqual([true, false]);
      expect(String(process.exit).match(/process.exit called/g)).toHaveLength(1);
    });
    it('hangs', () => new Promise(() => {}), 300);`,
  'hook.test.ts': `afterAll(() => { throw new Error('on purpose'); });
    it('passes', () => {});`,
  'import.test.ts': `import { missing } from './state.ts';
    it('cannot be loaded', missing);`,
  'rejection.test.ts': `it('passes before its promise fails', async () => {
      void Promise.reject(new Error('on purpose'));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });`,
  'syntax.test.ts': `it('cannot be parsed', () => {`,
  'without.test.ts': 'export {};',
};

interface Results {
  readonly testResults: {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: { status: string }[];
  }[];
}

it('a file gets its own modules of tests, environment and timers, and fails on each trouble', () => {
  const place = path.join(root, '.carat');
  fs.mkdirSync(place, { recursive: true });
  const folder = path.join(fs.mkdtempSync(path.join(place, 'native-runtime-')), 'test');
  fs.mkdirSync(folder);
  try {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
    const config = {
      rootDir: folder,
      runtime: path.join(root, 'test/support/native-runtime.ts'),
      testEnvironment: path.join(root, 'test/support/native-environment.ts'),
      testSequencer: path.join(root, 'test/support/longest-first.js'),
      testMatch: ['<rootDir>/*.test.ts'],
      transform: {},
      haste: { enableSymlinks: false },
    };
    const jest = [path.join(root, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(config)];
    const args = [...jest, '--runInBand', '--json'];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    // Empty if a test never ended.
    expect(stdout).not.toBe('');
    const { testResults } = JSON.parse(stdout) as Results;
    const outcomes = testResults.map(({ name, status: outcome, assertionResults: tests }) => [
      path.basename(name, '.test.ts'),
      [outcome, ...tests.map((test) => test.status)],
    ]);
    expect(Object.fromEntries(outcomes)).toEqual({
      a: ['passed', 'passed'],
      b: ['failed', 'passed', 'failed'],
      hook: ['failed', 'passed'],
      import: ['failed'],
      rejection: ['failed', 'failed'],
      syntax: ['failed'],
      without: ['failed'],
    });
    expect(status).toBe(1);
  } finally {
    fs.rmSync(path.dirname(folder), { recursive: true, force: true });
  }
});
