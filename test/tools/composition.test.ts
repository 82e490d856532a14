import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

/*
 * `npm run carat` beside a composition. Docker is a program on the path that prints its arguments: which call it gets is
 * the subject here; the composition itself is run elsewhere.
 */

let dir: string;

beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-composition-'));
});

afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** Runs the command beside a Docker with these running services. */
const carat = (running: string, args: string[], env: Record<string, string> = {}) => {
  const docker = `#!/bin/sh\nif [ "$2" = ps ]; then printf '%s' '${running}'; else echo "docker $*"; exit 3; fi\n`;
  fs.writeFileSync(path.join(dir, 'docker'), docker, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/carat.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: `${dir}:/usr/bin:/bin`, CARAT_STATE_DIR: path.join(dir, 'none'), ...env },
  });
  return { status, stdout, stderr };
};

it('carat runs a command in the running composition, and ends with its exit code', () => {
  expect(carat('abc', ['lane', 'list', '--json'])).toEqual({
    status: 3,
    stdout: 'docker compose run --rm -T carat lane list --json\n',
    stderr: expect.stringContaining('using the composition of docker-compose.yml'),
  });
});

it.each([
  ['nothing of it runs', '', ['status'], {}],
  ['another place is configured', 'abc', ['status'], { CARAT_DATABASE_URL: 'no url' }],
])('carat runs a command here when %s', (_, running, args, env) => {
  expect(carat(running, args, env)).toMatchObject({ status: 1, stderr: expect.stringContaining('CARAT_DATABASE_URL') });
});

it('carat makes a keystore here', () => {
  const { status, stderr } = carat('abc', ['keystore', 'create', path.join(dir, 'keys.json')]);
  expect([status, stderr]).toEqual([1, expect.stringContaining('CARAT_KEYSTORE_PASSPHRASE is missing')]);
});
