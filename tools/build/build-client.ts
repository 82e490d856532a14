/**
 * npm run build:client -- FOLDER
 *
 * Writes the client as a package of plain JavaScript with types and no dependencies. `npm pack FOLDER` makes the file that
 * a program outside this repository installs.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('build:client: name the folder to write to, such as: npm run build:client -- ../shop/carat-client');
  process.exit(2);
}
const target = path.resolve(folder);
const options = {
  outDir: target,
  rootDir: root,
  target: 'es2022',
  lib: 'es2023,dom,dom.iterable',
  module: 'nodenext',
};
const tsc = spawnSync(
  path.join(root, 'node_modules/typescript-7/bin/tsc'),
  [
    '--ignoreConfig',
    'client/client.ts',
    '--types',
    '',
    '--declaration',
    '--strict',
    '--verbatimModuleSyntax',
    '--allowImportingTsExtensions',
    '--rewriteRelativeImportExtensions',
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  ],
  { cwd: root, stdio: 'inherit' },
);
if (tsc.status !== 0) process.exit(1);

// The compiler rewrites the imports of programs, but not of declarations.
for (const name of fs.readdirSync(target, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts') || name.startsWith('node_modules')) continue;
  const file = path.join(target, name);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
fs.copyFileSync(path.join(root, 'client/README.md'), path.join(target, 'README.md'));
fs.copyFileSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));

const { version, license } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
};
const manifest = {
  name: 'carat-client',
  version,
  description: 'Client of Carat, a self-hosted payment gateway for stablecoins and native coins',
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20.3' },
  files: ['client', 'api'],
  exports: {
    '.': { types: './client/client.d.ts', default: './client/client.js' },
    './package.json': './package.json',
  },
};
fs.writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(`Written: ${target}`);
