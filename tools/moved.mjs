/**
 * Rewrites former paths of this repository in files that name them, such as tests that others wrote:
 *
 *   node tools/moved.mjs FILE...
 */
import fs from 'node:fs';

/** Former and present places, the longest first; each is replaced in what the ones before have left. */
const places = [
  ['dev/prometheus/prometheus.ts', 'test/support/prometheus-program.ts'],
  ['scripts/prune-packages.ts', 'install/prune-packages.ts'],
  ['scripts/is-healthy.bash', 'install/is-healthy.bash'],
  ['catalogue.example.yaml', 'install/catalogue.example.yaml'],
  ['schema-check.ts', 'runtime/schema-check.ts'],
  ['db/audit/link.ts', 'db/audit/chain.ts'],
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
  // Files that have joined another, by their places after the moves above.
  ['api/auth/integration-gate.ts', 'api/auth/authenticate.ts'],
  ['api/limits/gate.ts', 'api/answers/stream.ts'],
  ['api/limits/lasting.ts', 'api/limits/open-sockets.ts'],
  ['api/limits/rate-limiter.ts', 'api/limits/rate-limit.ts'],
  ['api/service/read-status.ts', 'api/service/status.ts'],
  ['api/service/shown-certificate.ts', 'api/service/certificates.ts'],
  ['cli/backup/restored.ts', 'cli/backup/restore.ts'],
  ['cli/look/remedies.ts', 'cli/look/waits.ts'],
  ['cli/master-key.ts', 'cli/keys.ts'],
  ['cli/role.ts', 'cli/registry.ts'],
  ['cli/upgrade/check.ts', 'cli/migrate.ts'],
  ['tools/build/contracts/opcodes.ts', 'tools/build/contracts/release-manifest.ts'],
  ['tools/demo/wallets.ts', 'tools/demo/merchant.ts'],
  ['tools/process/resident-memory.ts', 'tools/process/usage.ts'],
  ['tools/prove/mutants.ts', 'tools/prove/halmos.ts'],
  ['tools/prove/passed.ts', 'tools/prove/tools.ts'],
  ['tools/stack/postgres-account.ts', 'tools/stack/postgres.ts'],
  ['tools/stack/temporal-binary.ts', 'tools/stack/temporal.ts'],
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
