import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
const files = (...patterns: string[]): string[] =>
  fs.globSync(patterns, { cwd: root, exclude: ['**/node_modules'] }).map((file) => file.split(path.sep).join('/'));

const locks = files('package-lock.json', 'tools/*/package-lock.json');
const requirements = files('tools/*/requirements.txt');

interface Package {
  readonly integrity?: string;
  readonly link?: boolean;
}

it.each(locks)('each package of %s has a checksum, on every platform', (file) => {
  const { packages } = JSON.parse(read(file)) as { packages: Record<string, Package> };
  const entries = Object.entries(packages).filter(([name, { link }]) => name !== '' && link !== true);
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([name]) => name)).toEqual([]);
});

it.each(requirements)('each package of %s has a checksum', (file) => {
  const packages = read(file)
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(packages.length).toBeGreaterThan(0);
  expect(packages.filter((line) => !/^[\w.-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}/.test(line))).toEqual([]);
});

it('docs/downloads.md names each file that downloads something', () => {
  const downloads = /\bcached(?:Program)?\(|'go', \['(?:mod|get)'|from '.*\/npm\.mjs'/;
  const found = files('tools/**/*.ts', 'tools/**/*.mjs', 'test/**/*.ts').filter((file) => downloads.test(read(file)));
  const listed = new Set(
    [...read('docs/downloads.md').matchAll(/\| `([^`|]+\.(?:ts|mjs))` \|/g)].map(([, file]) => file),
  );
  /** The rooms of the cache itself, and the runner of npm. */
  const rooms = ['tools/process/cache.mjs', 'tools/stack/program.ts', 'test/unit/downloads.test.ts'];
  expect(found.filter((file) => !rooms.includes(file) && !listed.has(file))).toEqual([]);
  expect([...listed].filter((file) => file !== undefined && !fs.existsSync(path.join(root, file)))).toEqual([]);
  expect(listed.size).toBeGreaterThan(9);
});
