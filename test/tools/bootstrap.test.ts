import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

let dir = '';
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-bootstrap-'));
  fs.mkdirSync(path.join(dir, 'tools'));
  fs.mkdirSync(path.join(dir, 'tools/process'));
  for (const file of ['bootstrap.mjs', 'process/identity.mjs', 'process/lock.mjs', 'process/npm.mjs'])
    fs.copyFileSync(path.join(root, 'tools', file), path.join(dir, 'tools', file));
  fs.writeFileSync(path.join(dir, 'package.json'), '{ "type": "module" }');
  fs.mkdirSync(path.join(dir, 'npm'));
  fs.writeFileSync(path.join(dir, 'npm/package.json'), '{ "type": "commonjs" }');
  fs.writeFileSync(path.join(dir, 'npm/npm-cli.js'), fakeNpm);
  fs.writeFileSync(
    path.join(dir, 'tools/main.ts'),
    `const who: string = process.argv.slice(2).join(' ');
     process.on('SIGTERM', () => { console.log('stopped once'); clearInterval(timer); process.exitCode = 5; });
     const timer = setInterval(() => {}, 1000);
     if (who !== 'stay') clearInterval(timer);
     console.log('main ' + who + ' ' + process.pid);`,
  );
  lock({ one: '1.0.0' });
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

/** Writes package-lock.json: these packages, and one that only other platforms install. */
const lock = (versions: Record<string, string>): void => {
  const packages = Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]);
  const other = ['node_modules/other-platform', { version: '1.0.0', optional: true }];
  fs.writeFileSync(
    path.join(dir, 'package-lock.json'),
    JSON.stringify({ packages: Object.fromEntries([['', {}], ...packages, other]) }),
  );
};

/**
 * Stands in for npm, which would fetch packages: it records its arguments and "installs" the packages of the lock file.
 */
const fakeNpm = `
  const fs = require('node:fs');
  fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
  console.log('npm at work');
  fs.rmSync('node_modules', { recursive: true, force: true });
  fs.mkdirSync('node_modules');
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
  const installed = Object.fromEntries(Object.entries(packages).filter(([name, entry]) => name && !entry.optional));
  setTimeout(() => fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed })), 300);
`;

const bootstrap = (argument: string) => {
  const env = { ...process.env, NODE_OPTIONS: '', npm_execpath: path.join(dir, 'npm/npm-cli.js') };
  const child = spawn(process.execPath, ['tools/bootstrap.mjs', 'tools/main.ts', argument], { cwd: dir, env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
  const said = (text: string): Promise<void> =>
    new Promise((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', () => {
          if (output.includes(text)) resolve();
        });
      }
    });
  return { child, ended, said, output: () => output };
};

const installs = (): string[] => {
  const file = path.join(dir, 'npm.log');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
};

describe('the bootstrap of every npm script', () => {
  it('installs in a fresh clone, with a message, and not again after that', async () => {
    const first = await bootstrap('hello').ended;
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/npm ci.*packages installed.*main hello/s) });
    const second = await bootstrap('again').ended;
    expect(second).toMatchObject({ code: 0, output: expect.stringMatching(/^main again \d+\n$/) });
    expect(installs()).toEqual(['ci --no-audit --no-fund']);
  });

  it('installs again when the lock file has another version', async () => {
    await bootstrap('first').ended;
    lock({ one: '1.0.1' });
    await bootstrap('second').ended;
    expect(installs()).toHaveLength(2);
  });

  it('installs once when two scripts start at the same time', async () => {
    const both = await Promise.all([bootstrap('one').ended, bootstrap('two').ended]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(installs()).toHaveLength(1);
  });

  it('takes over the lock of a dead process whose id another process has', async () => {
    fs.mkdirSync(path.join(dir, '.carat'));
    const lockFile = path.join(dir, '.carat/install.lock');
    for (const content of [JSON.stringify({ pid: process.pid, identity: 'of an earlier boot' }), '1', '']) {
      fs.writeFileSync(lockFile, content);
      fs.rmSync(path.join(dir, 'node_modules'), { recursive: true, force: true });
      expect(await bootstrap('hello').ended).toMatchObject({ code: 0, output: expect.stringContaining('main hello') });
    }
    expect(installs()).toHaveLength(3);
  });

  it('runs the script in its own process, so that a signal reaches it once', async () => {
    const { child, ended, output, said } = bootstrap('stay');
    await said('main stay');
    expect(output()).toContain(`main stay ${child.pid}`);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 5, output: expect.stringMatching(/stopped once\n$/) });
  });

  it('ends npm when it is stopped during an install, so that the next start is alone', async () => {
    const { child, ended, said } = bootstrap('stopped');
    await said('npm at work');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 1, output: expect.stringContaining('SIGTERM') });
    expect(fs.existsSync(path.join(dir, 'node_modules/.package-lock.json'))).toBe(false);
    expect(await bootstrap('next').ended).toMatchObject({ code: 0, output: expect.stringContaining('main next') });
  });
});

it('begins every script of package.json, as CONTRIBUTING.md says', () => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(
    Object.values(scripts).filter((script) => !/^exec (?:env [A-Z_]+=\w+ )?sh tools\/run.sh /.test(script)),
  ).toEqual([]);
});

describe('the Node of every npm script', () => {
  const printed = (folder: string, env: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, [path.join(folder, 'tools/node/node.mjs')], {
      env: { ...process.env, NODE_OPTIONS: '', npm_execpath: path.join(dir, 'npm/npm-cli.js'), ...env },
      encoding: 'utf8',
    });

  it("is the machine's where that is new enough", () => {
    expect(printed(root)).toMatchObject({ status: 0, stdout: process.execPath, stderr: '' });
  });

  it('is otherwise fetched once for a user, by the lock file, and its fetch prints nothing where the path is read', () => {
    fs.mkdirSync(path.join(dir, 'tools/node'));
    for (const file of ['node/package.json', 'node/package-lock.json', 'process/cache.mjs'])
      fs.copyFileSync(path.join(root, 'tools', file), path.join(dir, 'tools', file));
    const script = fs.readFileSync(path.join(root, 'tools/node/node.mjs'), 'utf8');
    fs.writeFileSync(path.join(dir, 'tools/node/node.mjs'), script.replace('[24, 12]', '[999, 0]'));
    const env = { CARAT_CACHE: path.join(dir, 'cache') };
    const [first, second] = [printed(dir, env), printed(dir, env)];
    expect(first.stdout).toMatch(/^\S+cache\/node-linux-\w+-[\d.]+\/node_modules\/node-linux-\w+\/bin\/node$/);
    expect(first.stderr).toMatch(/fetching node-linux-\w+-[\d.]+, once for this user/);
    expect(second).toMatchObject({ status: 0, stdout: first.stdout, stderr: '' });
    const [cached = ''] = fs.readdirSync(path.join(dir, 'cache'));
    const log = fs.readFileSync(path.join(dir, 'cache', cached, 'npm.log'), 'utf8');
    expect(log).toBe('ci --no-audit --no-fund --ignore-scripts\n');
  });

  it('is requested by name where the registry has none for the platform', () => {
    fs.mkdirSync(path.join(dir, 'tools/node'));
    fs.writeFileSync(path.join(dir, 'tools/node/package.json'), '{ "optionalDependencies": {} }');
    fs.copyFileSync(path.join(root, 'tools/process/cache.mjs'), path.join(dir, 'tools/process/cache.mjs'));
    const script = fs.readFileSync(path.join(root, 'tools/node/node.mjs'), 'utf8');
    fs.writeFileSync(path.join(dir, 'tools/node/node.mjs'), script.replace('[24, 12]', '[999, 0]'));
    expect(printed(dir)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `carat: Node ${process.versions.node} is too old: Carat needs Node 999.0 or newer (https://nodejs.org)\n`,
    });
  });
});
