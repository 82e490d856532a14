import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HDNodeWallet } from 'ethers';
import { createKeystore } from '../../chain/signing/keystore.ts';
import { devMnemonic } from '../../tools/stack/chain.ts';
import { startGateway, type Gateway } from '../chain/support/gateway.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { caratHere } from '../support/carat.ts';

/* carat keystore empty, with a stale or lying endpoint before two honest ones, and a quorum of two. */

const receiver = '0x00000000000000000000000000000000000c0de2';
let gateway: Gateway;
let proxies: Proxy[];
let dir: string;
let file: string;

beforeAll(async () => {
  gateway = await startGateway();
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-empty-'));
  file = path.join(dir, 'keystore.json');
  await createKeystore(file, 'correct horse', [
    HDNodeWallet.fromPhrase(devMnemonic, '', "m/44'/60'/0'/0/5").privateKey,
  ]);
  await gateway
    .knex('networks')
    .where({ id: gateway.network.id })
    .update({ rpc_urls: proxies.map(({ url }) => url), quorum: 2 });
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

const empty = () =>
  caratHere(['keystore', 'empty', file, gateway.network.name, receiver], {
    CARAT_DATABASE_URL: gateway.databaseUrl,
    CARAT_KEYSTORE_PASSPHRASE: 'correct horse',
  });
const leftCoins = async (): Promise<number> =>
  Number(
    BigInt((await gateway.rpc.call('eth_getBalance', [gateway.keys.stranger.address, 'latest'])) as string) /
      10n ** 18n,
  );

it.each<[string, Proxy['tamper']]>([
  ['knows no balance yet (stale)', ({ method }, result) => (method === 'eth_getBalance' ? '0x0' : result)],
  [
    'asks for all gas of the world',
    ({ method }, result) => (method === 'eth_estimateGas' ? `0x${'f'.repeat(30)}` : result),
  ],
  [
    'invents an oracle of fees',
    ({ method }, result) => (method === 'eth_call' ? `0x${'0'.repeat(30)}${'f'.repeat(34)}` : result),
  ],
])('one endpoint of three that %s does not hide coins behind the exit code 0', async (_, tamper) => {
  proxies[0]!.tamper = tamper;
  const { code, out } = await empty();
  const left = await leftCoins();
  // An operator deletes the key after an exit code 0.
  expect({ code, out, left }).toMatchObject({ code: 0, left: 0 });
  await gateway.rpc.call('anvil_setBalance', [gateway.keys.stranger.address, `0x${(10n ** 22n).toString(16)}`]);
});

it('the fee ceiling of the catalogue prevents an endpoint from having the coins spent on a tip', async () => {
  const { knex, network, keys } = gateway;
  proxies.forEach((proxy) => (proxy.tamper = null));
  await knex('networks')
    .where({ id: network.id })
    .update({ rpc_urls: [proxies[0]!.url], quorum: 1 });
  const key = path.join(dir, 'buyer.json');
  await createKeystore(key, 'correct horse', [HDNodeWallet.fromPhrase(devMnemonic, '', "m/44'/60'/0'/0/4").privateKey]);
  const balanceOf = async (address: string) =>
    BigInt((await gateway.rpc.call('eth_getBalance', [address, 'latest'])) as string);
  const [before, had] = [await balanceOf(keys.buyer.address), await balanceOf(receiver)];
  // A hundredth of a coin for each gas; the catalogue allows 1,000 gwei.
  proxies[0]!.tamper = ({ method }, result) =>
    method === 'eth_maxPriorityFeePerGas' ? `0x${(10n ** 16n).toString(16)}` : result;
  const { code, out } = await caratHere(['keystore', 'empty', key, network.name, receiver], {
    CARAT_DATABASE_URL: gateway.databaseUrl,
    CARAT_KEYSTORE_PASSPHRASE: 'correct horse',
  });
  const lost = before - (await balanceOf(keys.buyer.address)) - ((await balanceOf(receiver)) - had);
  expect({ code, out, lost: Number(lost / 10n ** 15n) / 1_000 }).toMatchObject({ lost: expect.closeTo(0, 0) });
});
