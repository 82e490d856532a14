import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { unpackArchive } from '../../upgrade/former.ts';
import type { Bench } from '../bench.ts';
import { buildOwn, getImages, type Source } from '../images.ts';
import { openShop, type ComposeShop } from '../shop.ts';
import { allHealthy } from './faults.ts';
import { expectHealthy, followHeader, prepareAll } from './install.ts';
import { commandsAfter, runAll } from './page.ts';
import { offerAll } from './upkeep.ts';

/** What belongs to the operator, and stays when the files of a version are replaced. */
const kept = new Set(['.env', 'operator', 'issuers']);

/** Removes the files of a version. */
const removeVersion = ({ folder }: Bench): void => {
  for (const name of fs.readdirSync(folder)) {
    if (!kept.has(name)) fs.rmSync(path.join(folder, name), { recursive: true });
  }
};

/** The development chain is a service, too. */
const replaceAll = 'docker compose --profile devchain up -d --wait --wait-timeout 300';

const sold = async (shop: ComposeShop, open: readonly string[]): Promise<void> => {
  for (const id of open) await shop.buy(id);
  for (const id of open) await shop.completed(id);
  await shop.sellAll();
};

/**
 * Installs the version before with its own docker-compose.yml, upgrades to this one as docs/operations/upgrade.md says, goes back,
 * and forward again. Payments of both deal modes are open each time; each is paid and completes afterwards.
 */
export const upgradeFormer = async (
  bench: Bench,
  source: Source,
  images: Readonly<Record<string, string>>,
  copyRepository: (folder: string) => void,
): Promise<void> => {
  const { folder, sh, timed } = bench;
  const tagOf = (name: string): string => images[name]!;
  await getImages(bench, source, images);
  const former = path.join(bench.scratch, 'former');
  unpackArchive(former);
  fs.cpSync(former, folder, { recursive: true });
  const file = path.join(folder, 'docker-compose.yml');
  // A third key offers deals.
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('--keys 2', '--keys 3'));
  const keys = await followHeader(bench, source, tagOf);
  const { stack } = await prepareAll(bench, keys);
  const shop = await timed('deploying a wallet of each deal mode', () => openShop(stack));
  try {
    await timed('paying with the version before', () => shop.sellAll());
    const before = await offerAll(shop);
    await sh('docker tag carat:0.1.0 carat:before');
    removeVersion(bench);
    copyRepository(folder);
    fs.appendFileSync(path.join(folder, '.env'), `CARAT_DATABASE_PASSWORD=${randomBytes(24).toString('hex')}\n`);
    await buildOwn(bench, source, 'docker compose build migrate', tagOf);
    await sh('docker tag carat:0.1.0 carat:now');
    await timed('upgrading', () => sh(replaceAll));
    await allHealthy(bench);
    await timed('paying after the upgrade', () => sold(shop, before));
    await timed('carat status and carat doctor', () => expectHealthy(bench));
    const open = await offerAll(shop);
    fs.copyFileSync(path.join(former, 'docker-compose.yml'), path.join(folder, 'docker-compose.yml'));
    await timed('going back', () => runAll(bench, commandsAfter('upgrade.md', 'A version without `carat_app` needs')));
    await sh('docker compose --profile devchain up -d --no-deps --wait chain');
    await timed('paying after going back', () => sold(shop, open));
    const again = await offerAll(shop);
    copyRepository(folder);
    await sh('docker tag carat:now carat:0.1.0');
    await timed('going forward again', () => sh(replaceAll));
    await timed('paying at the end', () => sold(shop, again));
    await allHealthy(bench);
    await expectHealthy(bench);
    await sh('docker network rm carat_default');
  } finally {
    shop.close();
    await sh('docker image rm carat:before carat:now').catch(() => undefined);
  }
};
