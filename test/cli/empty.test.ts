import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HDNodeWallet, formatEther } from 'ethers';
import { createKeystore, PUBLIC_KEYS_COST } from '../../chain/signing/keystore.ts';
import { devMnemonic } from '../../tools/stack/chain.ts';
import { startGateway, type Gateway } from '../chain/support/gateway.ts';
import { caratHere } from '../support/carat.ts';

/* carat keystore empty: the coins of a network or a key that an operator removes. */

const receiver = '0x00000000000000000000000000000000000c0de2';

let gateway: Gateway;
let dir: string;
let file: string;

beforeAll(async () => {
  gateway = await startGateway();
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-empty-'));
  file = path.join(dir, 'keystore.json');
  const keys = [1, 2].map((index) => HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`).privateKey);
  await createKeystore(file, 'correct horse', keys, PUBLIC_KEYS_COST);
});

afterAll(async () => {
  await gateway.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

const empty = (...words: string[]) =>
  caratHere(['keystore', 'empty', ...words], {
    CARAT_DATABASE_URL: gateway.databaseUrl,
    CARAT_KEYSTORE_PASSPHRASE: 'correct horse',
  });
const emptyAll = () => empty(file, gateway.network.name, receiver);
const balanceOf = async (address: string): Promise<bigint> =>
  BigInt((await gateway.rpc.call('eth_getBalance', [address, 'latest'])) as string);

it('keystore empty leaves the coins of keys whose lane has work', async () => {
  const { operator, upgrader } = gateway.keys;
  const before = await balanceOf(operator.address);
  const { code, out } = await emptyAll();
  const kept = ({ address }: typeof operator) =>
    `${address} keeps its coins: it is at work on ${gateway.network.name}\n`;
  expect({ code, out }).toEqual({ code: 1, out: kept(operator) + kept(upgrader) });
  expect([await balanceOf(operator.address), await balanceOf(receiver)]).toEqual([before, 0n]);
});

it('keystore empty leaves the coins of a dismissed key that still has a deal to create', async () => {
  const { knex, keys } = gateway;
  const account = { network_id: gateway.network.id, address: keys.operator.address };
  await gateway.pay(1);
  await knex('signer_accounts').where(account).update({ dismissed_at: knex.fn.now() });
  expect((await emptyAll()).out).toContain(`${keys.operator.address} keeps its coins`);
  await knex('tx_intents').delete();
});

it('keystore empty sends the coins of all other keys, less the cost of the transfer', async () => {
  const { knex, keys, network } = gateway;
  await knex('networks').where({ id: network.id }).update({ retired_at: knex.fn.now(), rested_at: knex.fn.now() });
  const { code, out, err } = await emptyAll();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.match(/^0x[0-9a-f]{40} sent \d+\.\d+ coins on .+ in 0x[0-9a-f]{64}$/gm)).toHaveLength(2);
  const left = (await balanceOf(keys.operator.address)) + (await balanceOf(keys.upgrader.address));
  expect(Number(formatEther(left))).toBeLessThan(0.01);
  expect(Number(formatEther(await balanceOf(receiver)))).toBeGreaterThan(1);

  const again = await emptyAll();
  expect([again.code, again.out]).toEqual([
    0,
    expect.stringMatching(/keeps 0\.0\d* coins on .+: a transfer may cost as much|sent 0\.0/),
  ]);
});

it('keystore empty needs a keystore, a network and a receiver with an owner', async () => {
  expect((await empty(file, gateway.network.name)).code).toBe(2);
  expect((await empty(file, gateway.network.name, `0x${'0'.repeat(40)}`)).code).toBe(2);
  expect(await empty(file, 'nowhere', receiver)).toMatchObject({ code: 1, err: expect.stringContaining('no network') });
});
