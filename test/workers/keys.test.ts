import fs from 'node:fs';
import path from 'node:path';
import { registryAddress } from '../../chain/pure/platform.ts';
import { roleIds } from '../../chain/pure/roles.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { registryCall } from '../chain/support/gateway.ts';
import { eventually } from '../support/eventually.ts';
import { hex } from '../support/fixtures.ts';
import { createProduct, type Product } from '../support/product.ts';

let product: Product;
let worker: RunningProcess;

beforeAll(async () => {
  product = await createProduct();
  worker = await product.startWorker();
});
afterAll(() => product.stop());

const open = async (address: string): Promise<string[]> =>
  product
    .knex('alerts')
    .where({ closed_at: null })
    .whereRaw(`data ->> 'address' = ?`, [address])
    .orderBy('kind')
    .pluck('kind');

const lines = (address: string, kind: string): Record<string, unknown>[] =>
  fs
    .readFileSync(path.join(product.logs, 'worker.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(address))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ alert }) => alert === kind);

/** The lines of a kind of alert once there are so many of them: a worker logs an alert once it is stored. */
const told = (address: string, kind: string, count: number): Promise<Record<string, unknown>[]> =>
  eventually(() => {
    const found = lines(address, kind);
    return found.length >= count && found;
  });

/** As root does. */
const setRole = async (role: 'operator' | 'upgrader', account: string, isGiven: boolean): Promise<void> => {
  const { eip155, rpc: url } = product.dev.networks.alpha!;
  const data = registryCall('setRole', roleIds[role], account, isGiven);
  await sendCalls(createRpc({ urls: [url], eip155 }), createKeySigner(devAccounts.root.privateKey), eip155, [
    { what: 'a role', to: registryAddress(devPlatform), data },
  ]);
};

it('a key of the catalogue without a holder and a role has one alert for each, until they are mended', async () => {
  const { id: networkId } = product.dev.networks.alpha!;
  const typo = hex(20);
  const row = { network_id: networkId, address: typo, role: 'operator' };
  await product.knex('signer_accounts').insert(row);
  await eventually(async () => (await open(typo)).length === 2);
  expect(await open(typo)).toEqual(['key_missing', 'role_missing']);
  const named = { level: 'warn', message: expect.stringContaining(`operator ${typo} on alpha`) };
  for (const kind of ['key_missing', 'role_missing']) expect(await told(typo, kind, 1)).toMatchObject([named]);

  await setRole('operator', typo, true);
  await eventually(async () => (await open(typo)).join() === 'key_missing');
  await product.knex('key_holders').insert({ worker_id: crypto.randomUUID(), address: typo });
  await eventually(async () => (await open(typo)).length === 0);
  expect(await told(typo, 'key_missing', 2)).toMatchObject([
    { message: expect.stringMatching(/^No worker holds/) },
    { message: expect.stringMatching(/^Over: No worker holds/) },
  ]);
});

it('a key that loses its role on the chain has an alert before it has work, until it has the role again', async () => {
  const [upgrader] = await product
    .knex('signer_accounts')
    .where({ role: 'upgrader', dismissed_at: null })
    .pluck('address');
  expect(await open(upgrader)).toEqual([]);
  await setRole('upgrader', upgrader, false);
  await eventually(async () => (await open(upgrader)).join() === 'role_missing');
  await setRole('upgrader', upgrader, true);
  await eventually(async () => (await open(upgrader)).length === 0);
});

it('a worker that stops in order releases its keys, and one that starts holds its keys at once', async () => {
  const held = () => product.knex('key_holders').distinct().pluck('address');
  const own = await product.knex('signer_accounts').where({ role: 'upgrader' }).pluck('address');
  expect(await held()).toEqual(expect.arrayContaining(own));
  await worker.stop();
  expect(await held()).not.toEqual(expect.arrayContaining(own));
  worker = await product.startWorker();
  expect(await held()).toEqual(expect.arrayContaining(own));
});

it('a worker that starts logs the keys without a role, though their alert was raised before', async () => {
  const bare = hex(20);
  const row = { network_id: product.dev.networks.alpha!.id, address: bare, role: 'operator' };
  await product.knex('signer_accounts').insert(row);
  await eventually(async () => (await open(bare)).includes('role_missing'));
  await worker.stop();
  worker = await product.startWorker();
  const found = await told(bare, 'role_missing', 2);
  expect(found).toHaveLength(2);
  expect(found[1]!.message).toBe(found[0]!.message);
});
