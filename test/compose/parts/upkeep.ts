import { dealModes } from '../../../domain/payment.ts';
import type { Bench } from '../bench.ts';
import type { ComposeShop } from '../shop.ts';
import { allHealthy } from './faults.ts';
import { commandsAfter, runAll } from './page.ts';

/** Creates a payment of each deal mode that its buyer can pay. */
export const offerAll = (shop: ComposeShop): Promise<string[]> =>
  Promise.all(dealModes.map((mode) => shop.offer(mode)));

/**
 * Makes a backup while payments are open, pays one of them, loses the volume of the database, and restores: the payments complete,
 * also the one that was paid after the backup.
 */
export const restoreBackup = async (bench: Bench, shop: ComposeShop): Promise<void> => {
  const open = await offerAll(shop);
  await runAll(bench, commandsAfter('backup.md', 'A backup while everything runs'));
  await shop.buy(open[0]!);
  await runAll(bench, ['docker compose rm --stop --force postgres', 'docker volume rm carat_postgres']);
  await runAll(bench, commandsAfter('backup.md', 'A restore, once'));
  await allHealthy(bench);
  await shop.buy(open[1]!);
  for (const id of open) await shop.completed(id);
  await shop.sellAll();
};

/**
 * Replaces the processes by those of a new image and goes back, by the commands of the page, while payments of both deal modes are
 * open. Both images are of this version; former.ts has two versions.
 */
export const replaceImages = async (bench: Bench, shop: ComposeShop): Promise<void> => {
  for (const words of ['### With docker-compose.yml', '## Go back']) {
    const open = await offerAll(shop);
    for (const command of commandsAfter('upgrade.md', words)) {
      if (command === 'git pull') continue;
      // A build of the same files gives the same image.
      await bench.sh(command === 'docker compose build migrate' ? 'docker tag carat:before carat:0.1.0' : command);
    }
    for (const id of open) await shop.buy(id);
    for (const id of open) await shop.completed(id);
  }
  await bench.sh('docker image rm carat:before');
  await allHealthy(bench);
};
