import fs from 'node:fs';
import path from 'node:path';

/*
 * node install/prune-packages.ts FOLDER
 *
 * Takes out of the production packages in FOLDER (a node_modules of `npm ci --omit=dev`) all that no process of Carat loads:
 * native parts for other platforms, the packages that Redoc was built from, declarations, source maps and sources.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined || path.basename(folder) !== 'node_modules') throw new Error('which node_modules?');

interface Package {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}
const read = (file: string): Package => JSON.parse(fs.readFileSync(file, 'utf8')) as Package;
const remove = (name: string): void => fs.rmSync(path.join(folder, name), { recursive: true, force: true });

/** Where a package finds another: in its own node_modules, or in that of a folder above it. Paths are below FOLDER. */
const resolve = (from: string, name: string): string | null => {
  for (let at = from; ; at = path.dirname(at)) {
    const candidate = path.join(path.basename(at) === 'node_modules' ? path.dirname(at) : at, 'node_modules', name);
    const found = at === '.' ? name : candidate;
    if (fs.existsSync(path.join(folder, found, 'package.json'))) return found;
    if (at === '.') return null;
  }
};

/** All packages that are loaded from one. */
const walk = (from: string, manifest: Package, seen: Set<string>): Set<string> => {
  const names = [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies];
  for (const name of names.flatMap((listed) => Object.keys(listed ?? {}))) {
    const found = resolve(from, name);
    if (found === null || seen.has(found)) continue;
    seen.add(found);
    walk(found, read(path.join(folder, found, 'package.json')), seen);
  }
  return seen;
};

// The api serves one file of Redoc, which no process loads as a module.
const { dependencies = {}, ...manifest } = read(path.join(folder, '../package.json'));
const { redoc: _, ...loaded } = dependencies;
const needed = walk('.', { ...manifest, dependencies: loaded }, new Set());
const installed = Object.keys((read(path.join(folder, '.package-lock.json')) as { packages: object }).packages);
for (const name of installed.map((place) => place.slice('node_modules/'.length)))
  if (name !== 'redoc' && !needed.has(name)) remove(name);

// Temporal's core is one file for each platform.
const core = path.join('@temporalio/core-bridge');
const cpu = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
for (const release of fs.readdirSync(path.join(folder, core, 'releases')))
  if (!release.startsWith(`${cpu}-`) || !release.includes(process.platform))
    remove(path.join(core, 'releases', release));
for (const source of ['sdk-core', 'src', 'bridge-macros', 'scripts']) remove(path.join(core, source));

const unused = /\.(?:d\.[cm]?ts|[cm]?ts|tsx|map|flow|markdown|md)$/;
const keptOfRedoc = /^redoc\/(?:package\.json|bundles\/redoc\.standalone\.js(?:\.LICENSE\.txt)?)$/;
for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const name = path.relative(folder, path.join(entry.parentPath, entry.name));
  if (unused.test(name) || (name.startsWith('redoc/') && !keptOfRedoc.test(name))) remove(name);
}
