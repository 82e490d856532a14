import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { requireFreePorts } from '../../tools/process/ports.ts';
import { root } from '../../tools/paths.ts';
import { readComposition } from '../../tools/stack/compose.ts';
import { createBench, type Bench } from './bench.ts';
import { findDaemon, type Daemon } from './docker.ts';
import { findSource, getImages, sizesOf } from './images.ts';
import { allHealthy, killProcesses, restartDaemon } from './parts/faults.ts';
import { upgradeFormer } from './parts/former.ts';
import { checkHardening } from './parts/hardening.ts';
import { expectHealthy, followHeader, install } from './parts/install.ts';
import { rotateKeys } from './parts/keys.ts';
import { checkOwnTemporal, runCaddy, runMonitoring, runTwo } from './parts/profiles.ts';
import { removeAll } from './parts/remove.ts';
import { replaceImages, restoreBackup } from './parts/upkeep.ts';
import type { ComposeShop } from './shop.ts';

/*
 * npm run test:compose [-- upgrade]
 *
 * Runs docker-compose.yml in a real Docker: does what its first lines and docs/operations/install.md say, pays payments of both
 * deal modes, and breaks things meanwhile; or installs the version before, upgrades it, goes back and forward again. Takes 10 to 30 minutes, the first run longest: images stay in the cache folder. It needs
 * Docker (or root, dockerd and iptables); without a registry of images also Go, npm and debootstrap. Everything that it starts ends
 * with it.
 */

/** Ports of this machine that the composition publishes. */
const ports = [80, 443, 3000, 3002, 8080, 8545, 9090];

/** Files of the repository as they are here, committed or not. */
const copyRepository = (folder: string): void => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of files.toString().trim().split('\n')) {
    const from = path.join(root, file);
    if (!fs.existsSync(from)) continue;
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.copyFileSync(from, path.join(folder, file));
  }
};

/** Memory of each container now. */
const memoryOf = async ({ sh }: Bench): Promise<string[]> =>
  (await sh(`docker stats --no-stream --format '{{.Name}} {{.MemUsage}}'`)).trim().split('\n').toSorted();

/** Everything after the install. Each part leaves the composition running, and healthy. */
const parts: readonly [string, (bench: Bench, shop: ComposeShop, daemon: Daemon) => Promise<void>][] = [
  ['paying a payment in each deal mode', (_bench, shop) => shop.sellAll()],
  ['checking rights and networks', (bench) => checkHardening(bench)],
  ['killing api and worker', (bench, shop) => killProcesses(bench, shop)],
  ['restarting the daemon', (bench, shop, daemon) => restartDaemon(bench, daemon, shop)],
  ['replacing the image, and going back', (bench, shop) => replaceImages(bench, shop)],
  ['restoring a backup', (bench, shop) => restoreBackup(bench, shop)],
  ['rotating keys', (bench, shop) => rotateKeys(bench, shop)],
  ['running two apis and two workers', (bench, shop) => runTwo(bench, shop)],
  ['serving the api over TLS', (bench) => runCaddy(bench)],
  ['leaving out Temporal', (bench) => checkOwnTemporal(bench)],
];

/** The image of each service. */
const imagesOf = (): Record<string, string> => {
  const { services } = readComposition() as { services: Record<string, { image: string }> };
  return Object.fromEntries(Object.entries(services).map(([name, { image }]) => [name, image]));
};

const runWhole = async (bench: Bench, daemon: Daemon): Promise<void> => {
  const images = imagesOf();
  const source = await findSource();
  copyRepository(bench.folder);
  await getImages(bench, source, images);
  const keys = await followHeader(bench, source, (name) => images[name]!);
  const shop = await install(bench, keys);
  try {
    for (const [name, part] of parts) await bench.timed(name, () => part(bench, shop, daemon));
    await bench.timed('scraping with Prometheus', () => runMonitoring(bench, source));
    await allHealthy(bench);
    await expectHealthy(bench);
    bench.notes.push('', 'Images:', ...(await sizesOf(bench, Object.values(images))));
    bench.notes.push('', 'Memory at the end:', ...(await memoryOf(bench)), '');
    await bench.timed('removing the installation', () => removeAll(bench));
  } finally {
    shop.close();
  }
};

const runs: Readonly<Record<string, (bench: Bench, daemon: Daemon) => Promise<void>>> = {
  whole: runWhole,
  upgrade: async (bench) => upgradeFormer(bench, await findSource(), imagesOf(), copyRepository),
};

/** Ends what this run has started. */
const clean = async (bench: Bench, daemon: Daemon): Promise<void> => {
  bench.report('removing containers and volumes');
  await bench.sh(`docker compose --profile '*' down --volumes --remove-orphans --timeout 20`).catch(() => undefined);
  // A run that ended between two versions leaves those of the other file.
  await bench.sh(`docker network prune --force --filter label=com.docker.compose.project=carat`).catch(() => undefined);
  await daemon.stop();
  // A daemon leaves mounts behind, such as those of networks.
  const mounts = fs
    .readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts.filter((place) => place.startsWith(`${bench.scratch}/`)).toReversed()) {
    spawnSync('umount', ['--lazy', mount]);
  }
  fs.rmSync(bench.scratch, { recursive: true, force: true });
};

const [name = 'whole', ...rest] = process.argv.slice(2);
const run = runs[name];
if (run === undefined || rest.length > 0) {
  console.error(`usage: npm run test:compose [-- ${Object.keys(runs).join(' | ')}]`);
  process.exit(2);
}
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-compose-'));
const wanted = ports.map((port) => ({ port, service: 'the composition', variable: 'nothing here, end that program' }));
await requireFreePorts(wanted);
const { daemon, env } = await findDaemon(scratch, (line) => console.log(`           ${line}`));
const bench = createBench(scratch, env);
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
    void clean(bench, daemon).then(() => process.exit(1));
  });
}
try {
  await run(bench, daemon);
  bench.report('done');
} catch (error) {
  process.exitCode = 1;
  if (!interrupted) {
    console.error(error);
    const services = await bench.sh('docker compose logs --tail 40 --no-color').catch(() => '');
    fs.writeFileSync(path.join(os.tmpdir(), 'carat-compose-failed.log'), services);
    console.error(`the logs of the containers are in ${path.join(os.tmpdir(), 'carat-compose-failed.log')}`);
  }
}
if (!interrupted) {
  await clean(bench, daemon);
  console.log(`\n${bench.notes.join('\n')}`);
}
