import fs from 'node:fs';
import path from 'node:path';
import { rpc } from '../../../tools/stack/chain.ts';
import { eventually, type Bench } from '../bench.ts';
import { network } from '../shop.ts';
import { rpcUrl } from './install.ts';
import { blocksAfter, runAll } from './page.ts';

const receiver = '0x00000000000000000000000000000000000C0DE2';

/** Removes the installation as docs/operations/remove.md says. Its images stay, for the next run. */
export const removeAll = async (bench: Bench): Promise<void> => {
  const { folder, sh } = bench;
  const catalogue = path.join(folder, 'operator/catalogue.yaml');
  const text = fs.readFileSync(catalogue, 'utf8');
  fs.writeFileSync(catalogue, text.replace('chain: devnet\n', 'chain: devnet\n    retired: true\n'));
  const [end, take, remove] = blocksAfter('remove.md', '## End the work').map((block) => block.trim().split('\n'));
  const [apply = '', ...others] = end!;
  await eventually('the network is at rest', async () => !/^retired/m.test(await sh(apply)) || undefined, 300_000);
  await runAll(bench, others);
  await runAll(
    bench,
    take!.map((command) => `NETWORK=${network} RECEIVER=${receiver}\n${command}`),
  );
  const taken = BigInt((await rpc(rpcUrl, 'eth_getBalance', [receiver, 'latest'])) as string);
  if (taken < 10n ** 18n) throw new Error(`the receiver has ${taken} wei`);
  await runAll(
    bench,
    remove!.map((command) => command.replace(' --rmi all', '')),
  );
  const label = '--filter label=com.docker.compose.project=carat';
  for (const list of [`docker ps --all --quiet`, 'docker volume ls --quiet', 'docker network ls --quiet']) {
    const left = await sh(`${list} ${label}`);
    if (left !== '') throw new Error(`${list} still shows ${left}`);
  }
  const files = ['.env', 'operator', 'issuers'].filter((name) => fs.existsSync(path.join(folder, name)));
  if (files.length > 0) throw new Error(`${files.join(', ')} still exist`);
};
