import fs from 'node:fs';
import path from 'node:path';
import type { Bench } from '../bench.ts';
import type { ComposeShop } from '../shop.ts';
import { allHealthy } from './faults.ts';
import { commandsAfter, runAll } from './page.ts';

/** Rotates the master key as docs/operations/rotate-keys.md says, and gives the worker another file of keys. */
export const rotateKeys = async (bench: Bench, shop: ComposeShop): Promise<void> => {
  const { folder, sh } = bench;
  await runAll(bench, commandsAfter('rotate-keys.md', 'With docker-compose.yml steps 1 to 4'));
  await shop.sellAll();
  await sh('docker compose run --rm carat keystore create /operator/keystore-2.json --from /operator/keystore.json');
  fs.appendFileSync(path.join(folder, '.env'), 'CARAT_KEYSTORE_FILE=./operator/keystore-2.json\n');
  await sh('docker compose up -d --no-deps --wait worker');
  const mounts = await sh(`docker inspect --format '{{json .Mounts}}' $(docker compose ps -q worker)`);
  if (!mounts.includes('/keystore-2.json')) throw new Error(`the worker still has the old keystore: ${mounts}`);
  await allHealthy(bench);
  await shop.sellAll();
};
