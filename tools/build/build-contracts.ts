/**
 * Compiles `contracts/` with npm's solc and writes `contracts/abi/<Name>.json` and the manifest of the newest release,
 * `contracts/releases/<version>.json`. With `--check` nothing is written, and a stale file fails.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { compile } from './contracts/compile.ts';
import { releaseManifest, version } from './contracts/release-manifest.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const check = process.argv.includes('--check');

/** Contracts published with ABI and creation code, and facets, whose code is in the releases. */
const published = ['Registry', 'Diamond', 'Batcher', 'TestToken'] as const;
const facets = ['DiamondCutFacet', 'DiamondLoupeFacet', 'DealFacet', 'OfferFacet'] as const;

const compiled = compile(join(root, 'contracts'));
const files = new Map<string, unknown>();
for (const name of published) {
  const { abi, bytecode } = compiled.get(name);
  files.set(`contracts/abi/${name}.json`, { contractName: name, abi, bytecode });
}
for (const name of facets) files.set(`contracts/abi/${name}.json`, { contractName: name, abi: compiled.get(name).abi });
files.set(`contracts/releases/${version}.json`, releaseManifest(compiled));

const stale: string[] = [];
for (const [path, value] of files) {
  const text = await format(JSON.stringify(value, null, 2), { parser: 'json', printWidth: 120 });
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  stale.push(path);
  if (!check) writeFileSync(file, text);
}
if (check && stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')}. Run: node tools/build/build-contracts.ts`);
  process.exit(1);
}
console.log(
  check ? 'Generated contract files are up to date.' : `Written: ${stale.join(', ') || 'nothing, all up to date'}`,
);
