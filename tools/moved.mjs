/**
 * Rewrites former paths of this repository in files that name them, such as tests that others wrote:
 *
 *   node tools/moved.mjs FILE...
 */
import fs from 'node:fs';

/** Former and present places, the longest first. */
const places = [
  ['dev/prometheus/prometheus.ts', 'test/support/prometheus-program.ts'],
  ['scripts/prune-packages.ts', 'install/prune-packages.ts'],
  ['scripts/is-healthy.bash', 'install/is-healthy.bash'],
  ['catalogue.example.yaml', 'install/catalogue.example.yaml'],
  ['schema-check.ts', 'runtime/schema-check.ts'],
  ['dev/generators', 'test/support/generators'],
  ['jest.config.js', 'test/jest.config.js'],
  ['encryption.ts', 'runtime/encryption.ts'],
  ['examples/shop', 'client/example'],
  ['test/clients', 'test/evm-clients'],
  ['dev/hardhat', 'test/support/hardhat'],
  ['composition', 'install/composition'],
  ['measures.ts', 'runtime/measures.ts'],
  ['monitoring', 'install/monitoring'],
  ['Dockerfile', 'install/Dockerfile'],
  ['config.ts', 'runtime/config.ts'],
  ['logger.ts', 'runtime/logger.ts'],
  ['dev/helm', 'test/support/helm'],
  ['test/dev', 'test/tools'],
  ['scripts', 'tools/build'],
  ['charts', 'install/charts'],
  ['bench', 'tools/bench'],
  ['dev', 'tools'],
];

const isFolder = (place) => !place.split('/').at(-1).includes('.');

for (const file of process.argv.slice(2)) {
  const text = fs.readFileSync(file, 'utf8');
  let moved = text;
  for (const [from, to] of places) {
    // Behind the steps up of an import, or as a path from the root; the name of a folder alone is often a word.
    const before = String.raw`(?<=['"\`\s(]|\.\./)`;
    moved = moved.replaceAll(
      new RegExp(`${before}${RegExp.escape(from)}(?=${isFolder(from) ? '/' : `['"\`\\s)]`})`, 'g'),
      to,
    );
  }
  if (moved !== text) fs.writeFileSync(file, moved);
}
